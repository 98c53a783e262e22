// What the user learns of while the page is not looked at: title, icon, notifications.

import { shortName } from "/text.js";

export class Notices {
  // on: {open(conversationId), hidden()}
  constructor(icon, wish, on) {
    // Messages of the open conversation since the page is hidden: the node counts them as read.
    Object.assign(this, { icon, on, unseen: 0, unread: 0 });
    document.addEventListener("visibilitychange", () => {
      this.unseen = 0;
      this.show(this.unread);
      if (document.hidden) this.on.hidden();
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
      this.tell(message.from, "said something to you", message.conversationId);
    }
  }

  // Tells of a peer, without its text: others may see the screen.
  tell(who, words, conversation = null) {
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const notification = new Notification(shortName(who), { body: words });
    notification.onclick = () => {
      window.focus();
      if (conversation) this.on.open(conversation);
    };
  }
}
