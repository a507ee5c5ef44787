// Link: the websocket to the server; where it breaks it is opened again.

import type { FromPage, FromServer } from "./messages";
import { unpack } from "./packets";

const FIRST = 500, LONGEST = 8000; // milliseconds until the next try
const STAY_AWAY = [1008, 1013]; // closed for a reason that trying again would not mend

export class Link {
  onMessage = (_: FromServer): void => {};
  /** The connection is lost; `again` says whether it is tried anew. */
  onLost = (_again: boolean, _reason: string): void => {};
  /** The connection is back, with a session of its own. */
  onBack = (): void => {};
  private socket!: WebSocket;
  private wait = FIRST;
  private was = false;

  constructor() {
    this.open();
  }

  say(message: FromPage): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST;
      if (this.was) this.onBack();
      this.was = true;
    };
    socket.onmessage = (event) => this.onMessage(unpack<FromServer>(event.data as ArrayBuffer));
    socket.onclose = (event) => {
      const again = !STAY_AWAY.includes(event.code);
      this.onLost(again, event.reason);
      if (!again) return;
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST);
    };
  }
}
