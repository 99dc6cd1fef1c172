// What C++ calls of the page: app/base/web/page.h. What it does is in page.js.
mergeInto(LibraryManager.library, {
  page_take_event: function(to) { return Page.writeEvent(to); },
  page_width: function() { return Page.width; },
  page_height: function() { return Page.height; },
  page_density: function() { return Page.density; },
  page_set_cursor: function(css) { Page.canvas.style.cursor = UTF8ToString(css); },
  page_set_fullscreen: function(on) { return Page.setFullscreen(on); },
  page_clipboard: function() { return Page.text(Page.pasted); },
  page_copy: function(text) { return Page.copy(UTF8ToString(text)); },
  page_ask_for_turn: function(seconds) { return Page.askForTurn(seconds); },
  // How much memory the process may take: asked where an allocation is large, and not known here.
  __syscall_prlimit64: function() { return -52; },
  page_begin_work: function() { Page.work(); },
  // A function that suspends what called it, where the browser has such functions.
  page_pause: function() { return Page.pause(); },
  page_pause__postset: 'if (WebAssembly.Suspending) _page_pause = new WebAssembly.Suspending(_page_pause);',
  page_fragment: function() { return Page.text(decodeURIComponent(location.hash.slice(1))); },
  page_address: function() { return Page.text(location.href.split('#')[0]); },
  page_language: function() { return Page.text(navigator.language || 'en'); },
  page_download: function(path) { return Page.download(UTF8ToString(path)); },
  page_keep_files: function() { return Page.keepFiles(); },
  page_has_all_files: function() { return Page.hasAllFiles; },
  page_show: function() { return Page.show(); },
  page_fail: function() { return Page.fail(Page.printed); },
  // ImGui asks for the state of GL before it draws, which nobody else changes. What the browser would ask of its graphics
  // process, and wait for, is as in a new context.
  glGetIntegerv__deps: ['$emscriptenWebGLGet'],
  glGetIntegerv: function(name, to) {
    const blending = {0x80C9: 1, 0x80C8: 0, 0x80CB: 1, 0x80CA: 0, 0x8009: 0x8006, 0x883D: 0x8006}[name];
    if (blending !== undefined) HEAP32[to >> 2] = blending;
    else if (name === 0x0BA2 || name === 0x0C10) HEAP32.set([0, 0, Page.width, Page.height], to >> 2);  // Viewport, scissors.
    else emscriptenWebGLGet(name, to, 0);
  },
});
