// Starts the program on the page's canvas and shows how far it has come; if it cannot start or go on, says why in words.
//
// For embedding pages and tests:
//   gatelens.ready           promise, fulfilled when the first picture is drawn, rejected with the reason if it never will be
//   gatelens.status()        { phase: 'loading' | 'running' | 'failed', step, loss, nmse, steps_per_s, running, backend: 'gpu' | 'cpu' | null,
//                              adapter, software, message, panic, frames, frame_ms_max }
//   gatelens.play()          starts or resumes training
//   gatelens.pause()         halts it
//   gatelens.reset()         back to step 0 with the same weights
//   gatelens.load(recipe)    starts another experiment: the text of a shared link after its #, as 'dim=4&hidden=32&seed=3'
//   gatelens.command(object) any of these as data, as { pause: true }
// Commands before the start are kept until then. Rust calls gatelensFailed(text) when it panics or cannot start, and makes
// its worker from the address in gatelensWorker.

const STAMP = '{{stamp}}';
const WASM_BYTES = Number('{{wasm_bytes}}');
const WASM_URL = new URL(`./gatelens_bg.wasm?v=${STAMP}`, import.meta.url);
const SLOW_START_MS = 15_000;
// A module that holds one SIMD instruction.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

const element = (id) => document.getElementById(id);
const idle = {
  step: 0, loss: null, nmse: null, steps_per_s: 0, running: false, backend: null,
  adapter: null, software: false, message: null, panic: null, frames: 0, frame_ms_max: 0,
};

let program = null; // the wasm's exports once main() has run
let failure = null; // why the program stopped
let lastStatus = { phase: 'loading', ...idle };
const waiting = []; // commands given before the program runs
let settle; // of the promise that embedding pages wait for
const ready = new Promise((resolve, reject) => { settle = { resolve, reject }; });
ready.catch(() => {}); // the box says it

function status() {
  if (program && !failure) {
    const now = JSON.parse(program.gatelens_status());
    lastStatus = { phase: now.frames > 0 ? 'running' : 'loading', ...idle, ...now };
  }
  // A program that has panicked is not called again.
  return failure ? { ...lastStatus, phase: 'failed', running: false, panic: failure } : { ...lastStatus };
}

function command(object) {
  if (!program) waiting.push(object);
  else if (!failure) program.gatelens_command(JSON.stringify(object));
}

window.gatelensWorker = new URL(`./worker.js?v=${STAMP}`, import.meta.url).href;
window.gatelens = {
  ready,
  status,
  command,
  play: () => command({ play: true }),
  pause: () => command({ pause: true }),
  reset: () => command({ reset: true }),
  load: (recipe) => command({ load: String(recipe).replace(/^#/, '') }),
};

// ---- when it cannot go on ----

// What a reason looks like, and how to say it.
const REASONS = [
  [/WebAssembly\.Memory|out of memory|allocation failed|memory access out of bounds/i, 'Out of memory',
    'The browser gave gatelens no more memory. Close other tabs or choose a smaller network, then reload.'],
  [/Failed to fetch|NetworkError|Load failed|dynamically imported module|Importing a module|server answered/i, 'The download broke off',
    'Part of the program could not be downloaded. Check the connection and reload.'],
  [/context lost/i, 'The picture was lost',
    'The browser took its drawing surface away, as it does when a graphics driver restarts or many pages draw at once. Reload to go on.'],
  [/WebGL/, 'Nothing to draw with',
    'This browser offers no WebGL, with which gatelens draws. Switch on hardware acceleration in its settings, or use a current Chrome, Edge, Firefox or Safari.'],
];
const UNKNOWN = [null, 'gatelens has stopped',
  'A fault in the program ended it; that is no mistake of yours. Reload to start again. If it comes back, the details below help to find it.'];

function showFailure(title, text, details) {
  element('loading').hidden = true;
  element('failure-title').textContent = title;
  element('failure-text').textContent = text;
  element('failure-details').textContent = details;
  element('failure').hidden = false;
  element('reload').focus();
}

/** Shows why the program stopped. The first reason counts: what follows a panic is its echo. */
function fail(reason) {
  if (failure) return;
  const shown = status();
  failure = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
  const [, title, text] = REASONS.find(([pattern]) => pattern.test(failure)) ?? UNKNOWN;
  const facts = { page: location.href, version: STAMP, browser: navigator.userAgent, status: shown };
  const stack = reason instanceof Error && reason.stack ? `\n\n${reason.stack}` : '';
  showFailure(title, text, `${failure}${stack}\n\n${JSON.stringify(facts, null, 1)}`);
  settle.reject(new Error(failure));
}

window.gatelensFailed = fail;
const started = () => program !== null && lastStatus.frames > 0;
const isTrap = (error) => error instanceof WebAssembly.RuntimeError;
window.addEventListener('error', (event) => {
  if (!started() || isTrap(event.error)) fail(event.error ?? event.message);
});
window.addEventListener('unhandledrejection', (event) => {
  if (!started() || isTrap(event.reason)) fail(event.reason);
});
element('gatelens').addEventListener('webglcontextlost', () => fail('WebGL context lost'));

element('reload').addEventListener('click', () => location.reload());
element('copy').addEventListener('click', async () => {
  const details = element('failure-details');
  try {
    await navigator.clipboard.writeText(details.textContent);
    element('copy').textContent = 'Copied';
  } catch {
    // Over plain http there is no clipboard: open and select the text, so that the keyboard can copy it.
    details.closest('details').open = true;
    window.getSelection().selectAllChildren(details);
    element('copy').textContent = 'Selected: press Ctrl+C';
  }
});

// ---- the start ----

function say(text, fraction) {
  element('progress').textContent = text;
  if (fraction === undefined) element('bar').removeAttribute('value');
  else element('bar').value = fraction;
}

/** The wasm's response, which counts its bytes on their way to the compiler. */
async function download() {
  const response = await fetch(WASM_URL);
  if (!response.ok) throw new Error(`the server answered ${response.status} for ${WASM_URL.pathname}`);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  let received = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      const part = Math.min(received / WASM_BYTES, 1);
      say(`Loading… ${megabytes(received)} of ${megabytes(WASM_BYTES)} MB, ${Math.floor(100 * part)} %`, part);
      controller.enqueue(chunk);
    },
    flush: () => say('Starting…'),
  });
  return new Response(response.body.pipeThrough(counted), { headers: { 'Content-Type': 'application/wasm' } });
}

/** Reloads, once, if the page that the server holds by now is a newer one: its parts and ours would not fit together. */
async function reloadIfReplaced() {
  const html = await fetch(location.pathname, { cache: 'reload' }).then((response) => response.text()).catch(() => '');
  const stamp = html.match(/data-stamp="([0-9a-f]+)"/)?.[1];
  if (!stamp || stamp === STAMP || sessionStorage.getItem('gatelens-reloaded') === stamp) return false;
  sessionStorage.setItem('gatelens-reloaded', stamp);
  location.reload();
  return true;
}

/** Takes the card away at the first picture. A timer, because a hidden tab gets no animation frames. */
function awaitFirstPicture(since) {
  if (failure) return;
  if (status().frames > 0) {
    element('loading').hidden = true;
    settle.resolve();
    return;
  }
  if (performance.now() - since > SLOW_START_MS) say('Still starting. A graphics driver may take long to prepare its programs the first time.');
  setTimeout(awaitFirstPicture, 30, since);
}

async function start() {
  // eframe's own request would get fourfold multisampling, which egui, smoothing its edges itself, only pays for.
  element('gatelens').getContext('webgl2', { antialias: false, depth: false, stencil: false });
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(SIMD)) {
    element('bar').hidden = true;
    const problem = typeof WebAssembly === 'object' ? 'its WebAssembly has no SIMD' : 'WebAssembly is missing or switched off';
    say(`gatelens cannot run in this browser: ${problem}. Chrome and Edge since 91, Firefox since 114 and Safari since 16.4 have it; lockdown and enhanced security modes switch it off.`);
    failure = problem;
    settle.reject(new Error(problem));
    return;
  }
  try {
    const [module, response] = await Promise.all([import(`./gatelens.js?v=${STAMP}`), download()]);
    await module.default({ module_or_path: response });
    program = module;
  } catch (error) {
    if (!failure && (await reloadIfReplaced())) return;
    fail(error);
    return;
  }
  waiting.splice(0).forEach(command);
  awaitFirstPicture(performance.now());
}

start();
