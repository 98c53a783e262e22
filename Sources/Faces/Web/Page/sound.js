// A short tone, if the user wants one.

export class Sound {
  constructor() {
    this.context = new AudioContext();
  }

  close() {
    this.context.close();
  }

  ring() {
    const { currentTime, destination } = this.context;
    const [tone, volume] = [this.context.createOscillator(), this.context.createGain()];
    tone.frequency.setValueAtTime(660, currentTime);
    tone.frequency.setValueAtTime(880, currentTime + 0.08);
    volume.gain.setValueAtTime(0.1, currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, currentTime + 0.25);
    tone.connect(volume).connect(destination);
    tone.start();
    tone.stop(currentTime + 0.25);
  }
}
