/** Loaded before the program (see `uncaught.ts`). */
process.on("SIGUSR2", () => {
  if (process.env.FAULT === "rejection") void Promise.reject(new Error("Nobody saw this coming."));
  else
    setImmediate(() => {
      throw new Error("Nobody saw this coming.");
    });
});
