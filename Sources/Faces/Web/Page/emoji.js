// The emojis that the page knows by name, and the panel that shows them.
import { element } from "/elements.js";
import { phrase } from "/strings.js";

// Each is a name and the emoji.
const list = `
grinning😀 smiley😃 smile😄 grin😁 laughing😆 sweat_smile😅 joy😂 rofl🤣 slightly_smiling🙂 upside_down🙃 wink😉 blush😊 innocent😇
hearts_face🥰 heart_eyes😍 star_struck🤩 kiss😘 yum😋 tongue😛 crazy🤪 money_face🤑 hug🤗 giggle🤭 shush🤫 thinking🤔 zipper🤐
raised_eyebrow🤨 neutral😐 expressionless😑 no_mouth😶 smirk😏 unamused😒 roll_eyes🙄 grimace😬 relieved😌 pensive😔 sleepy😪 sleeping😴
mask😷 fever🤒 hurt🤕 nauseated🤢 sneeze🤧 hot🥵 cold🥶 dizzy😵 mind_blown🤯 cowboy🤠 party🥳 sunglasses😎 nerd🤓 monocle🧐 confused😕 worried😟
frown🙁 surprised😮 astonished😲 flushed😳 pleading🥺 fearful😨 cold_sweat😰 cry😢 sob😭 scream😱 disappointed😞 sweat😓 weary😩 tired😫 yawn🥱
triumph😤 rage😡 angry😠 swearing🤬 devil😈 skull💀 poop💩 clown🤡 ghost👻 alien👽 robot🤖 cat😺 see_no_evil🙈 hear_no_evil🙉 speak_no_evil🙊
salute🫡 melting🫠 wave👋 raised_hand✋ vulcan🖖 ok_hand👌 pinched🤌 victory✌️ fingers_crossed🤞 rock🤘 call_me🤙 point_left👈 point_right👉
point_up👆 point_down👇 thumbsup👍 +1👍 thumbsdown👎 -1👎 fist✊ punch👊 clap👏 raised_hands🙌 open_hands👐 handshake🤝 pray🙏 writing✍️
muscle💪 ear👂 eyes👀 brain🧠 baby👶 shrug🤷 facepalm🤦 bow🙇 runner🏃 dancer💃 family👪 heart❤️ orange_heart🧡 yellow_heart💛 green_heart💚
blue_heart💙 purple_heart💜 black_heart🖤 white_heart🤍 broken_heart💔 sparkling_heart💖 kiss_mark💋 hundred💯 anger💢 boom💥 zzz💤 speech💬
dog🐶 mouse🐭 hamster🐹 rabbit🐰 fox🦊 bear🐻 panda🐼 koala🐨 tiger🐯 lion🦁 cow🐮 pig🐷 frog🐸 monkey🐵 chicken🐔 penguin🐧 bird🐦 duck🦆 owl🦉
wolf🐺 horse🐴 unicorn🦄 bee🐝 bug🐛 butterfly🦋 snail🐌 turtle🐢 snake🐍 octopus🐙 fish🐟 dolphin🐬 whale🐳 otter🦦 sloth🦥 hedgehog🦔 flower🌸
rose🌹 sunflower🌻 tree🌳 cactus🌵 clover🍀 leaf🍃 mushroom🍄 apple🍎 pear🍐 orange🍊 lemon🍋 banana🍌 watermelon🍉 grapes🍇 strawberry🍓
cherries🍒 peach🍑 pineapple🍍 tomato🍅 avocado🥑 carrot🥕 corn🌽 bread🍞 cheese🧀 egg🥚 bacon🥓 hamburger🍔 fries🍟 pizza🍕 taco🌮 salad🥗
ramen🍜 rice🍚 sushi🍣 cake🍰 birthday🎂 cookie🍪 chocolate🍫 candy🍬 icecream🍦 popcorn🍿 coffee☕ tea🍵 beer🍺 beers🍻 wine🍷 cocktail🍸
champagne🍾 house🏠 office🏢 school🏫 train🚆 bus🚌 car🚗 taxi🚕 bike🚲 plane✈️ rocket🚀 ship🚢 mountain⛰️ beach🏖️ camping🏕️ sunrise🌅 city🌃
sun☀️ moon🌙 star⭐ stars✨ cloud☁️ rain🌧️ thunder⛈️ snow❄️ snowman⛄ rainbow🌈 fire🔥 droplet💧 ocean🌊 umbrella☔ football⚽ basketball🏀
tennis🎾 trophy🏆 medal🏅 dart🎯 game🎮 dice🎲 puzzle🧩 art🎨 guitar🎸 microphone🎤 headphones🎧 music🎵 movie🎬 ticket🎫 gift🎁 balloon🎈 tada🎉
christmas🎄 jack_o_lantern🎃 watch⌚ phone📱 laptop💻 keyboard⌨️ printer🖨️ camera📷 bulb💡 flashlight🔦 battery🔋 plug🔌 money💰 key🔑 lock🔒
unlock🔓 hammer🔨 wrench🔧 gear⚙️ magnet🧲 test_tube🧪 telescope🔭 pill💊 door🚪 bed🛏️ shower🚿 soap🧼 package📦 mail📧 inbox📥 pencil✏️
memo📝 book📖 books📚 calendar📅 pushpin📌 paperclip📎 scissors✂️ chart📈 bell🔔 no_bell🔕 megaphone📣 hourglass⌛ alarm⏰ mag🔍 link🔗
warning⚠️ no_entry⛔ stop🛑 check✅ cross❌ question❓ exclamation❗ plus➕ minus➖ recycle♻️ infinity♾️ up⬆️ down⬇️ left⬅️ right➡️
red_circle🔴 green_circle🟢 blue_circle🔵 flag🏁 white_flag🏳️ pirate🏴‍☠️ korea🇰🇷`;

// Those that are given to messages most.
const usual = ["thumbsup", "heart", "joy", "tada", "surprised", "cry"];
let known = null;

// The emojis by their names, in the order of the list.
export function emojis() {
  known ??= new Map(list.trim().split(/\s+/u).map((word) => {
    const [name] = /^[a-z0-9_+-]+/u.exec(word);
    return [name, word.slice(name.length)];
  }));
  return known;
}

// [name, emoji] of the names that have a text in them: the one that is the text, those that begin with it, and the others.
export function find(text) {
  const wanted = text.toLowerCase().trim().replace(/\s+/gu, "_");
  const rank = ([name]) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  return [...emojis()].filter(([name]) => name.includes(wanted)).sort((a, b) => rank(a) - rank(b));
}

export class Picker {
  // - root: a popover, which the browser closes behind Escape and a click beside it.
  constructor(root) {
    this.root = root;
    this.filter = element("input");
    Object.assign(this.filter, { type: "search", autocomplete: "off" });
    this.grid = element("div", "emojis");
    root.append(this.filter, this.grid);
    this.filter.addEventListener("input", () => this.draw());
    this.filter.addEventListener("keydown", (event) => this.filterKey(event));
    this.grid.addEventListener("keydown", (event) => this.gridKey(event));
    this.grid.addEventListener("click", (event) => {
      const made = event.target.closest("button");
      if (made) this.choose(made.textContent);
    });
    root.addEventListener("toggle", ({ newState }) => {
      this.anchor?.setAttribute("aria-expanded", `${newState === "open"}`);
      if (newState === "closed") this.left?.();
    });
  }

  // - anchor: the button that it belongs to, if it does.
  // - take: gets the emoji.
  // - left: gives the focus back.
  // - box: what it stands above.
  // - hasUsual: whether the usual reactions are a row in front of all.
  toggle(anchor, take, left, box = anchor.getBoundingClientRect(), hasUsual = false) {
    if (this.root.matches(":popover-open")) return this.root.hidePopover();
    Object.assign(this, { anchor, take, left, hasUsual });
    this.filter.value = "";
    this.filter.setAttribute("aria-label", phrase("findEmoji"));
    this.filter.placeholder = phrase("findEmoji");
    this.draw();
    this.root.showPopover();
    const { offsetWidth, offsetHeight } = this.root;
    this.root.style.left = `${Math.max(8, Math.min(box.right - offsetWidth, innerWidth - offsetWidth - 8))}px`;
    this.root.style.top = `${box.top > offsetHeight + 8 ? box.top - offsetHeight - 8 : Math.max(8, innerHeight - offsetHeight - 8)}px`;
    this.filter.focus();
  }

  draw() {
    const first = this.hasUsual && this.filter.value.trim() === "" ? usual.map((name) => [name, emojis().get(name)]) : [];
    this.grid.replaceChildren(...[...first, ...find(this.filter.value)].map(([name, text], index) => {
      const made = element("button", index < first.length ? "emoji usual" : "emoji", text);
      Object.assign(made, { type: "button", title: name, tabIndex: index === 0 ? 0 : -1 });
      made.setAttribute("aria-label", name);
      return made;
    }));
  }

  choose(text) {
    this.root.hidePopover();
    this.take(text);
  }

  filterKey(event) {
    const { firstElementChild: first } = this.grid;
    if (event.isComposing || !first || !["ArrowDown", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") this.choose(first.textContent);
    else first.focus();
  }

  gridKey(event) {
    const buttons = [...this.grid.children];
    const place = buttons.indexOf(document.activeElement);
    const isBack = ["ArrowLeft", "ArrowUp"].includes(event.key);
    if (place < 0 || !(isBack || ["ArrowRight", "ArrowDown"].includes(event.key))) return;
    event.preventDefault();
    const isBeside = ["ArrowLeft", "ArrowRight"].includes(event.key);
    const found = isBeside ? buttons[place + (isBack ? -1 : 1)] : inNextRow(buttons, buttons[place], isBack);
    if (!found && isBack) return this.filter.focus();
    const next = found ?? buttons.at(-1);
    for (const made of buttons) made.tabIndex = made === next ? 0 : -1;
    next.focus();
  }
}

// The one above or below a button. A row may be shorter than the others.
function inNextRow(buttons, { offsetTop, offsetLeft }, isUp) {
  const rest = buttons.filter((each) => (isUp ? each.offsetTop < offsetTop : each.offsetTop > offsetTop));
  const top = rest.at(isUp ? -1 : 0)?.offsetTop;
  return rest.findLast((each) => each.offsetTop === top && each.offsetLeft <= offsetLeft);
}
