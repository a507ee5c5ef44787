// Packets of the server (neurok/files/packets.py): a header of JSON, then the arrays it names.

const KINDS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, i2: Int16Array, u1: Uint8Array };
type Kind = keyof typeof KINDS;

/** The object a packet holds; its arrays look into the packet's own bytes. */
export function unpack<T>(data: ArrayBuffer): T {
  const length = new DataView(data).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(data, 4, length));
  return revive(JSON.parse(text), data, 4 + length) as T;
}

function revive(value: unknown, data: ArrayBuffer, start: number): unknown {
  if (Array.isArray(value)) return value.map((inner) => revive(inner, data, start));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0][0] === "array") {
    const [kind, offset, count] = entries[0][1] as [Kind, number, number];
    return new KINDS[kind](data, start + offset, count);
  }
  return Object.fromEntries(entries.map(([name, inner]) => [name, revive(inner, data, start)]));
}
