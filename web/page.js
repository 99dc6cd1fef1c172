// The page around the program: loads it and its files, hands its events over, keeps files, and gives it a turn when
// there is one to do. What C++ may call is in library.js.
'use strict';

const kFirstFiles = 'first.pack.gz', kRestOfFiles = 'rest.pack.gz', kProgram = 'tilescope.wasm.gz';
const kWorkStack = 2 << 20, kMuchMemory = 256 << 20;
const kState = '/home/.local/state/tilescope';
// GLFW's numbers.
const kRelease = 0, kPress = 1, kRepeat = 2;
const kShift = 1, kControl = 2, kAlt = 4, kSuper = 8;
const Kind = {key: 1, character: 2, button: 3, move: 4, scroll: 5, focus: 6, enter: 7, resize: 8, drop: 9, restored: 10};
const kKeys = {
  Escape: 256, Enter: 257, Tab: 258, Backspace: 259, Insert: 260, Delete: 261, ArrowRight: 262, ArrowLeft: 263,
  ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267, Home: 268, End: 269, CapsLock: 280, NumLock: 282,
  F1: 290, F2: 291, F3: 292, F4: 293, F5: 294, F6: 295, F7: 296, F8: 297, F9: 298, F10: 299, F11: 300, F12: 301};
const kModifiers = {
  ShiftLeft: 340, ControlLeft: 341, AltLeft: 342, MetaLeft: 343, ShiftRight: 344, ControlRight: 345, AltRight: 346,
  MetaRight: 347};

var Page = {
  canvas: document.getElementById('canvas'),
  width: 1, height: 1, density: 1,
  events: [],
  pasted: '',
  wait: Infinity,
  begun: 0, working: 0, stacks: [], gaps: [], restOfTurn: null, channel: new MessageChannel(),
  hasAllFiles: false,

  // ---- Turns: no turn is taken without a reason.
  askForTurn(seconds) {
    Page.wait = Math.min(Page.wait, seconds);
    if (!Page.inTurn) Page.schedule();
  },
  schedule() {
    clearTimeout(Page.timer);
    if (Page.wait === Infinity) return;
    if (Page.wait > 0) {
      const due = Page.wait;
      Page.timer = setTimeout(() => { Page.wait = 0; Page.schedule(); }, 1000 * due);
    } else if (!Page.frameIsDue) {
      Page.frameIsDue = true;
      requestAnimationFrame(Page.turn);
    }
  },
  async turn() {
    Page.frameIsDue = false;
    if (!Page.pageTurn) return;  // An event came before the program.
    Page.inTurn = true;
    Page.wait = Infinity;
    Page.fit();
    const begun = performance.now();
    await Page.pageTurn();
    Page.longestTurn = Math.max(Page.longestTurn || 0, performance.now() - begun);
    Page.inTurn = false;
    Page.schedule();
    Page.goOn();
  },
  // ---- Work between turns: the start of the program and the jobs of its workers, each on a stack of its own, which the
  // browser suspends in the midst. One that cannot does each in one go, after some frames. A long turn is suspended, too;
  // work waits until it has ended.
  async work() {
    ++Page.begun;
    if (!WebAssembly.Suspending) await new Promise((go) => setTimeout(go, 50));
    await Page.gap();
    // Kernels that take much memory run one after another.
    while (Page.working > 0 && HEAP8.length > kMuchMemory) {
      await new Promise((go) => setTimeout(go, 10));
      await Page.gap();
    }
    const top = Page.stacks.pop() || (_malloc(kWorkStack) + kWorkStack) & -16;  // Compiled code relies on that alignment.
    ++Page.working;
    stackRestore(top);
    const done = Page.pageWork();
    stackRestore(Page.turnStack);
    await done;
    --Page.working;
    --Page.begun;
    Page.stacks.push(top);
  },
  pause() {
    if (!WebAssembly.Suspending) return;
    if (Page.inTurn) return new Promise((go) => { Page.restOfTurn = go; Page.goOn(); });
    stackRestore(Page.turnStack);
    return Page.gap();
  },
  gap: () => new Promise((go) => {
    Page.gaps.push(go);
    Page.goOn();
  }),
  // What is due in the browser comes first.
  goOn() {
    if (Page.goes) return;
    Page.goes = true;
    Page.channel.port2.postMessage(0);
  },
  goesOn() {
    Page.goes = false;
    const rest = Page.restOfTurn;
    Page.restOfTurn = null;
    if (rest) return rest();
    if (Page.inTurn || !Page.gaps.length) return;
    Page.gaps.shift()();
    if (Page.gaps.length) Page.goOn();
  },
  push(event) {
    Page.events.push(event);
    Page.askForTurn(0);
  },
  writeEvent(to) {
    const event = Page.events.shift();
    if (!event) return 0;
    HEAP32[to >> 2] = event.kind;
    HEAP32[(to >> 2) + 1] = event.code | 0;
    HEAP32[(to >> 2) + 2] = event.action | 0;
    HEAP32[(to >> 2) + 3] = event.mods | 0;
    HEAPF64[(to >> 3) + 2] = event.x || 0;
    HEAPF64[(to >> 3) + 3] = event.y || 0;
    stringToUTF8(event.text || '', to + 32, 512);
    return 1;
  },
  text: (value) => {
    const size = lengthBytesUTF8(value) + 1, to = _malloc(size);
    stringToUTF8(value, to, size);
    return to;
  },

  // ---- The canvas has as many pixels as the display under it.
  fit() {
    const density = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(innerWidth * density)), height = Math.max(1, Math.round(innerHeight * density));
    if (width === Page.width && height === Page.height && density === Page.density) return;
    Object.assign(Page, {width, height, density});
    Page.canvas.width = width;
    Page.canvas.height = height;
    Page.events.push({kind: Kind.resize});
  },
  show() {
    if (Page.shown) return;
    Page.shown = true;
    document.getElementById('loading').className = 'done';
    Page.canvas.focus();
    Page.firstFrame = performance.now();
    Page.loadRest();
  },
  setFullscreen(on) {
    if (on && !document.fullscreenElement) document.documentElement.requestFullscreen().catch(() => {});
    if (!on && document.fullscreenElement) document.exitFullscreen().catch(() => {});
  },

  // ---- Files
  async load(address, progress) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    const total = Number(response.headers.get('Content-Length')) || 0;
    let loaded = 0;
    const counted = response.body.pipeThrough(new TransformStream({
      transform(part, to) {
        loaded += part.length;
        if (total) progress(Math.min(loaded / total, 1));
        to.enqueue(part);
      }}));
    return new Response(counted.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  },
  // A pack: the length of its list, the list of names and sizes as JSON, the files one after another.
  unpack(pack) {
    const listed = new DataView(pack).getUint32(0, true);
    let at = 4 + listed;
    for (const [name, size] of JSON.parse(new TextDecoder().decode(new Uint8Array(pack, 4, listed)))) {
      const path = '/data/' + name;
      FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      FS.writeFile(path, new Uint8Array(pack, at, size), {canOwn: true});
      at += size;
    }
  },
  async loadRest() {
    const bar = document.getElementById('rest');
    bar.hidden = false;
    for (;;) {
      try {
        Page.unpack(await Page.load(kRestOfFiles, (part) => { bar.value = part; }));
        break;
      } catch (problem) {
        console.warn(problem);
        await new Promise((go) => setTimeout(go, 2000));
      }
    }
    bar.hidden = true;
    Page.hasAllFiles = true;
    Page.askForTurn(0);
    if (navigator.serviceWorker && isSecureContext) navigator.serviceWorker.register('offline.js').catch(() => {});
  },
  // Writes the files of the state folder to the browser's own store when they have changed.
  keepFiles() {
    if (Page.keeping) return;
    const times = FS.analyzePath(kState).exists ?
        FS.readdir(kState).filter((name) => name[0] !== '.').map((name) => name + FS.stat(`${kState}/${name}`).mtime.getTime()).join() : '';
    if (times === Page.kept) return;
    Page.kept = times;
    Page.keeping = true;
    FS.syncfs(false, () => { Page.keeping = false; });
  },
  download(path) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([FS.readFile(path)]));
    link.download = path.split('/').pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    FS.unlink(path);
  },

  // ---- Clipboard
  copy(text) {
    Page.pasted = text;
    if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
  },
};

Page.channel.port1.onmessage = () => Page.goesOn();

// Made while the program loads, and as large as it will be: some browsers take a quarter of a second for either. Frames
// are drawn when something changes, and not at each of the browser's.
Page.fit();
Page.canvas.getContext('webgl2', {alpha: false, depth: false, stencil: false, antialias: false, preserveDrawingBuffer: true});

// ---- Keys: what they say. Their names and codes are those of GLFW.
function keyOf(event) {
  if (kModifiers[event.code]) return {code: kModifiers[event.code], text: ''};
  if (kKeys[event.key]) return {code: kKeys[event.key] + (event.key === 'Enter' && event.code === 'NumpadEnter' ? 78 : 0), text: ''};
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  if (digit && !/^[a-z0-9]$/i.test(event.key)) return {code: 48 + Number(digit[1]), text: digit[1]};
  if (event.key.length !== 1) return null;
  const name = event.key.toLowerCase(), code = name.toUpperCase().codePointAt(0);
  return {code: code < 128 ? code : 161, text: name === ' ' ? '' : name};
}
function modsOf(event) {
  return (event.shiftKey ? kShift : 0) | (event.ctrlKey ? kControl : 0) | (event.altKey ? kAlt : 0) | (event.metaKey ? kSuper : 0);
}
// The browser's own keys stay its own: reload, tabs, address, zoom, developer tools.
function isBrowsers(event, key) {
  if (event.ctrlKey || event.metaKey) return !'asopzyel+-=0'.includes(key.text) && key.code < 256 || key.text === 'l' && !event.shiftKey;
  return event.altKey || event.key === 'F12' || event.key === 'Tab';
}
addEventListener('keydown', (event) => {
  const key = keyOf(event);
  if (!key) return;
  const mods = modsOf(event);
  const pressed = {kind: Kind.key, code: key.code, action: event.repeat ? kRepeat : kPress, mods, text: key.text};
  if ((event.ctrlKey || event.metaKey) && 'cvx'.includes(key.text || '-')) {
    // The text that is pasted comes with an event of its own, right behind this one.
    if (key.text === 'v') return void (Page.pasting = pressed);
    return Page.push(pressed);
  }
  if (isBrowsers(event, key)) return;
  event.preventDefault();
  Page.push(pressed);
  if (event.key.length === 1 && !(mods & (kControl | kSuper))) Page.push({kind: Kind.character, code: event.key.codePointAt(0)});
});
addEventListener('keyup', (event) => {
  const key = keyOf(event);
  if (key) Page.push({kind: Kind.key, code: key.code, action: kRelease, mods: modsOf(event), text: key.text});
});
addEventListener('paste', (event) => {
  Page.pasted = event.clipboardData.getData('text/plain');
  if (Page.pasting) Page.push(Page.pasting);
  Page.pasting = null;
  event.preventDefault();
});

// ---- Mouse, pen and touch. Two fingers turn the wheel at the place between them.
const fingers = new Map();
let spread = 0;
const at = (event) => ({x: event.clientX * Page.density, y: event.clientY * Page.density});
const buttonOf = (event) => [0, 2, 1][event.button] || 0;
function spreadOf() {
  const [a, b] = [...fingers.values()];
  return {distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
}
Page.canvas.addEventListener('pointerdown', (event) => {
  Page.canvas.focus();
  Page.canvas.setPointerCapture(event.pointerId);
  Page.push({kind: Kind.move, ...at(event)});
  if (event.pointerType === 'touch') {
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 2) {
      Page.push({kind: Kind.button, code: 0, action: kRelease, ...at(event)});
      spread = spreadOf().distance;
    }
    if (fingers.size > 1) return;
    Page.push({kind: Kind.enter, action: 1});
  }
  Page.push({kind: Kind.button, code: buttonOf(event), action: kPress, mods: modsOf(event), ...at(event)});
});
Page.canvas.addEventListener('pointermove', (event) => {
  if (!fingers.has(event.pointerId) || fingers.size < 2) return Page.push({kind: Kind.move, ...at(event)});
  fingers.set(event.pointerId, at(event));
  const now = spreadOf(), clicks = Math.log(now.distance / spread) / Math.log(1.1);
  if (Math.abs(clicks) < 0.5) return;
  spread = now.distance;
  Page.push({kind: Kind.scroll, action: Math.round(1000 * clicks), x: now.x, y: now.y});
});
for (const name of ['pointerup', 'pointercancel'])
  Page.canvas.addEventListener(name, (event) => {
    fingers.delete(event.pointerId);
    Page.push({kind: Kind.button, code: buttonOf(event), action: kRelease, mods: modsOf(event), ...at(event)});
    // Nothing hovers where no finger is; the release comes first.
    if (event.pointerType === 'touch') setTimeout(() => Page.push({kind: Kind.enter, action: 0}), 100);
  });
Page.canvas.addEventListener('pointerenter', () => Page.push({kind: Kind.enter, action: 1}));
Page.canvas.addEventListener('pointerleave', (event) => {
  if (event.pointerType !== 'touch') Page.push({kind: Kind.enter, action: 0});
});
Page.canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const clicks = -event.deltaY / (event.deltaMode === 0 ? 100 : 3);
  Page.push({kind: Kind.scroll, action: Math.round(1000 * clicks), ...at(event)});
}, {passive: false});
Page.canvas.addEventListener('contextmenu', (event) => event.preventDefault());

// ---- Files that are dropped, the page's size, focus and end
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
  event.preventDefault();
  for (const file of event.dataTransfer.files) {
    const path = '/tmp/' + file.name.replace(/[^\w.-]/g, '_').slice(-100);
    FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
    Page.push({kind: Kind.drop, text: path});
  }
});
addEventListener('resize', () => Page.askForTurn(0));
addEventListener('focus', () => Page.push({kind: Kind.focus, action: 1}));
addEventListener('blur', () => Page.push({kind: Kind.focus, action: 0}));
addEventListener('hashchange', () => location.reload());
document.addEventListener('visibilitychange', () => {
  if (document.hidden && Page.shown) Page.keepFiles();
});
Page.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
Page.canvas.addEventListener('webglcontextrestored', () => Page.push({kind: Kind.restored}));

// ---- The program
var Module = {
  canvas: Page.canvas,
  print: (text) => console.log(text),
  printErr: (text) => { Page.printed = text; console.warn(text); },
  preRun: [() => {
    addRunDependency('files');
    FS.mkdirTree(kState);
    FS.mount(IDBFS, {}, kState);
    const kept = new Promise((go) => FS.syncfs(true, () => go()));
    const files = Page.load(kFirstFiles, () => {}).then(Page.unpack);
    Promise.all([kept, files]).then(() => removeRunDependency('files'), Page.fail);
  }],
  instantiateWasm(imports, done) {
    const bar = document.getElementById('bar');
    Page.load(kProgram, (part) => { bar.value = part; })
        .then((bytes) => WebAssembly.instantiate(bytes, imports))
        .then((made) => {
          const suspended = WebAssembly.promising || ((each) => each);
          const exports = made.instance.exports;
          Page.pageWork = suspended(exports.page_work);
          done(made.instance, made.module);
          Page.turnStack = exports.stackSave();
          Page.pageTurn = suspended(exports.page_turn);
        }).catch(Page.fail);
    return {};
  },
  onAbort: (why) => Page.fail(why),
};
Page.fail = (problem) => {
  console.error(problem);
  document.getElementById('loading').className = '';
  document.getElementById('says').textContent = typeof DecompressionStream === 'undefined' || typeof WebAssembly === 'undefined' ?
      'This browser is too old for Tilescope.' : `Tilescope could not be loaded: ${problem}`;
};
