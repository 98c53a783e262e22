// The colours of authors' names: stable for a key while its peer is present, and different for all peers that are present
// while there are colours left. The terminal has the same colours and the same rule (AuthorColors.swift).
export class Colors {
  static count = 24;
  static mostKeys = 1024;

  constructor() {
    this.assigned = new Map();
    this.present = new Set();
  }

  // The number of a key's colour.
  of(key) {
    const known = this.assigned.get(key);
    if (known !== undefined) return known;
    const color = this.free(key);
    if (this.assigned.size >= Colors.mostKeys) {
      for (const other of this.assigned.keys()) if (!this.present.has(other)) this.assigned.delete(other);
    }
    if (this.assigned.size < Colors.mostKeys) this.assigned.set(key, color);
    return color;
  }

  // A peer came or left. One that comes with the colour of another present peer gets a free one.
  record(key, isPresent) {
    if (!isPresent) return this.present.delete(key);
    if (this.present.has(key)) return;
    const color = this.assigned.get(key);
    if ([...this.present].some((other) => this.assigned.get(other) === color)) this.assigned.delete(key);
    this.of(key);
    this.present.add(key);
  }

  // The first colour, from the one that the key itself selects, that no present peer has. Steps of 7 visit all 24, since
  // neighbours are similar hues.
  free(key) {
    const own = Number(BigInt(`0x${key.slice(0, 16)}`) % BigInt(Colors.count));
    const taken = new Set([...this.present].map((other) => this.assigned.get(other)));
    for (let step = 0; step < Colors.count; step += 1) {
      const color = (own + 7 * step) % Colors.count;
      if (!taken.has(color)) return color;
    }
    return own;
  }
}
