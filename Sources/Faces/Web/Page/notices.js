// What the user learns of while the page is not looked at: title, icon, notifications.
import { keepChoice, keptChoice } from "/kept.js";
import { later } from "/later.js";
import { phrase } from "/strings.js";
import { shortName } from "/text.js";

export class Notices {
  // on: {open(conversationId), hidden()}
  // - sound: the switch of the sound, which is off until the user wants it.
  constructor({ icon, wish, sound }, on) {
    // Messages of the open conversation since the page is hidden: the node counts them as read.
    Object.assign(this, { icon, on, unseen: 0, unread: 0 });
    document.addEventListener("visibilitychange", () => {
      this.unseen = 0;
      this.show(this.unread);
      if (document.hidden) this.on.hidden();
    });
    this.sound = null;
    sound.setAttribute("aria-pressed", `${keptChoice("sound") === "on"}`);
    // A browser lets a page sound behind the first key or click.
    const begin = async () => {
      const module = isOn() ? await later("sound").catch(() => null) : null;
      if (isOn()) this.sound ??= module && new module.Sound();
    };
    const isOn = () => sound.getAttribute("aria-pressed") === "true";
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, begin, { once: true });
    sound.addEventListener("click", async () => {
      sound.setAttribute("aria-pressed", `${!isOn()}`);
      keepChoice("sound", isOn() ? "on" : "off");
      await begin();
      if (isOn()) return this.sound?.ring();
      this.sound?.close();
      this.sound = null;
    });
    wish.hidden = !("Notification" in window) || Notification.permission !== "default";
    wish.addEventListener("click", async () => {
      await Notification.requestPermission();
      wish.hidden = Notification.permission !== "default";
    });
  }

  show(unread) {
    this.unread = unread;
    const count = unread + this.unseen;
    const title = count ? `(${count}) Earshot` : "Earshot";
    // Most events change neither.
    if (document.title === title) return;
    document.title = title;
    this.icon.href = count ? "/icon-unread.svg" : "/icon.svg";
  }

  // A message of another user came while the page is hidden.
  arrived(message, isOpen) {
    if (isOpen) this.unseen += 1;
    this.show(this.unread);
    if (message.conversation === "direct" || message.mention) {
      this.tell(message.from, phrase("saidSomething"), message.conversationId);
    }
  }

  // Tells of a peer, without its text: others may see the screen.
  tell(who, words, conversation = null) {
    if (!document.hidden) return;
    this.sound?.ring();
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    const notification = new Notification(shortName(who), { body: words });
    notification.onclick = () => {
      window.focus();
      if (conversation) this.on.open(conversation);
    };
  }
}
