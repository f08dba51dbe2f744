-- The rules of eddyline: a switch of one of them, and which of them there are.
SET spark.eddyline.rules.excluded=NarrowAssume;

RESET spark.eddyline.rules.excluded;

SHOW EDDYLINE RULES;
