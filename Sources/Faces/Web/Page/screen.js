// A narrow screen shows the lists or a conversation. The way back from a conversation leads to the lists, by the browser's own step back.

import { fillBadge } from "/side.js";

const narrow = matchMedia("(max-width: 44rem)");

export class Screen {
  constructor(body) {
    Object.assign(this, { body });
    addEventListener("popstate", () => this.follow());
    narrow.addEventListener("change", () => this.begin());
    // A keyboard on the screen that lies above the page makes only this smaller.
    visualViewport?.addEventListener("resize", () => this.fit());
    this.begin();
  }

  get isInConversation() {
    return history.state?.place === "conversation";
  }

  // A page that is loaded shows a conversation, with the lists behind it.
  begin() {
    if (narrow.matches && !this.isInConversation) {
      history.replaceState({ place: "lists" }, "");
      history.pushState({ place: "conversation" }, "");
    }
    this.follow();
  }

  follow() {
    this.body.classList.toggle("listing", narrow.matches && !this.isInConversation);
  }

  showLists() {
    if (narrow.matches && this.isInConversation) history.back();
  }

  showConversation() {
    if (narrow.matches && !this.isInConversation) history.pushState({ place: "conversation" }, "");
    this.follow();
  }

  // What is unread in the lists, which are not shown beside a conversation.
  count(badge, { conversations, current, requests, invitations }) {
    const others = [...conversations.values()].filter((conversation) => conversation !== current).map(({ info }) => info);
    const sum = (name) => others.reduce((all, info) => all + info[name], 0);
    fillBadge(badge, { unread: sum("unread") + requests.size + invitations.size, mentions: sum("mentions") });
  }

  fit() {
    const { height, scale } = visualViewport;
    // Of a page that is magnified only a part is seen, and nothing is above it.
    const isCovered = scale === 1 && height < innerHeight - 1;
    if (isCovered) this.body.style.setProperty("--height", `${height}px`);
    else this.body.style.removeProperty("--height");
    if (isCovered) scrollTo(0, 0);
  }
}
