// The CPU engine's worker: the same wasm as the page, whose main() sees that it is in a worker and sets self.onmessage.
//
// Both ways a message is a Uint8Array; a string from here says, in words, why the worker cannot go on.
// What arrives before the wasm runs is kept and handed over, in order.

const early = [];
self.onmessage = (event) => early.push(event.data);

// The first reason is the true one: a panic tells its own, and the trap that follows it adds nothing.
let told = false;
self.gatelensFailed = (text) => {
  if (!told) self.postMessage(`The CPU engine stopped. ${text}`);
  told = true;
};
self.addEventListener('error', (event) => self.gatelensFailed(event.message));
self.addEventListener('unhandledrejection', (event) => self.gatelensFailed(String(event.reason)));

try {
  const { default: init } = await import('./gatelens.js?v={{stamp}}');
  await init({ module_or_path: new URL('./gatelens_bg.wasm?v={{stamp}}', import.meta.url) });
  for (const data of early) self.onmessage(new MessageEvent('message', { data }));
} catch (error) {
  self.gatelensFailed(String(error));
}
