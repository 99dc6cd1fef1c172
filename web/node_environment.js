// The program sees node's environment variables; emscripten's own are those of a browser.
Module['preRun'] = [() => { Object.assign(ENV, process.env); }];
