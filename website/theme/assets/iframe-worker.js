// A page that is opened from a folder may start no worker, and the search runs in one. There an
// iframe takes its place. The script of the search asks for the name IFrameWorker.
self.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    const inner = this.frame.contentWindow;
    inner.document.open();
    inner.document.write("<!doctype html><title>search</title><body>");
    inner.document.close();
    inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.loaded = new Promise((resolve) => {
      const script = inner.document.createElement("script");
      script.onload = resolve;
      script.src = url;
      inner.document.body.append(script);
    });
  }

  postMessage(data) {
    const inner = this.frame.contentWindow;
    this.loaded.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
};
if (location.protocol === "file:") self.Worker = self.IFrameWorker;
