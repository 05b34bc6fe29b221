// Search without a server. Browsers start no workers for pages opened from files: here the search
// runs in a hidden frame of the page instead, behind the interface of a worker.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.tell(this, data)
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve())
      this.ready = this.load(url)
    }
    load(url) {
      return new Promise((loaded, failed) => {
        const script = this.inside.document.createElement("script")
        Object.assign(script, { src: url, onload: loaded, onerror: failed })
        this.inside.document.body.append(script)
      })
    }
    tell(target, data) {
      const event = new MessageEvent("message", { data })
      target.dispatchEvent(event)
      target.onmessage?.(event)
    }
    postMessage(data) {
      this.ready.then(() => this.tell(this.inside, data))
    }
    terminate() {
      this.inside.frameElement.remove()
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker
}
