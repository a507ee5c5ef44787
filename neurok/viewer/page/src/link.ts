// Link: the websocket to the server.

import type { FromPage, FromServer } from "./messages";
import { unpack } from "./packets";

export class Link {
  onMessage = (_: FromServer): void => {};
  onLost = (): void => {};
  private readonly socket: WebSocket;

  constructor() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (event) => this.onMessage(unpack<FromServer>(event.data as ArrayBuffer));
    this.socket.onclose = () => this.onLost();
  }

  say(message: FromPage): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
