// The search runs in a worker, and browsers start none for a page that was opened as a file. A frame does the work there.
// (Zensical loads such a script from elsewhere unless one of this name is configured.)
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.addEventListener("load", () => this.start(address), { once: true });
      document.body.append(this.frame);
    }

    start(address) {
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      const script = inner.document.createElement("script");
      script.src = new URL(address, location.href).href;
      script.onload = () => {
        this.deliver = (data) => setTimeout(() => inner.onmessage({ data }));
        this.waiting.forEach(this.deliver);
      };
      script.onerror = () => this.onerror?.(new Event("error"));
      inner.document.body.append(script);
    }

    postMessage(data) {
      if (this.deliver) this.deliver(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
