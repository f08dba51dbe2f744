// What JupyterLab loads: a container of webpack's module federation, written by hand. JupyterLab
// calls `init` with the packages that it shares, and then `get` for the plug-in.
//
// The files do not lie in a folder `static`, since Jupyter lets browsers keep what lies there
// unasked, and their names are the same in each version.

(() => {
  let scope;

  /** Returns a package that JupyterLab shares: of its versions the newest, as webpack takes it. */
  async function shared(name) {
    const newest = (a, b) => a.localeCompare(b, undefined, { numeric: true });
    const version = Object.keys(scope[name]).sort(newest).at(-1);
    const factory = await scope[name][version].get();
    return factory();
  }

  globalThis._JUPYTERLAB ??= {};
  globalThis._JUPYTERLAB.eddyline = {
    init(sharedScope) {
      scope = sharedScope;
    },
    async get() {
      const { createPlugin } = await import("./plugin.js");
      const plugin = await createPlugin(shared);
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
