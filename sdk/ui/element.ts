import type { Client } from '../client.js'
import { type Classes, create, directionOf, type Look } from './dom.js'
import type { Flow } from './flow-engine.js'
import { type Options, render } from './render.js'
import type { Texts } from './texts/en.js'

/** The languages of the elements, by their BCP 47 tags. */
export type Languages = Readonly<Record<string, Texts>>

/** Options of the elements of a page. */
export interface StartOptions {
  /** The client of all elements that have none of their own. */
  client?: Client | undefined
  /** Languages in addition to English, such as `{ de }` of `@usher/sdk/ui/texts/de`. The nearest `lang` chooses. */
  languages?: Languages | undefined
  /** Texts that replace those of all languages. */
  texts?: Partial<Texts> | undefined
}

/** What all elements of the page share. */
export const shared: StartOptions & { english: Partial<Texts> } = { english: {} }

/** Frameworks evaluate modules on servers, which have no elements. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/** An element of a page. Its content is drawn when it is in the page and has a client. */
export abstract class UsherElement extends Base {
  static observedAttributes = ['lang']

  #client: Client | undefined
  #texts: Partial<Texts> = {}
  #classes: Classes = {}
  #stops: (() => void)[] = []
  #drawn: (() => void)[] = []
  /** The language that was wanted when the element was drawn. */
  #language = ''

  /** The client. By default that of `start`. */
  get client() {
    return this.#client ?? shared.client
  }
  set client(client) {
    this.#client = client
    this.draw()
  }

  /** Texts that replace those of the language. */
  get texts() {
    return this.#texts
  }
  set texts(texts) {
    this.#texts = texts
    this.redraw()
  }

  /** Classes that are added to parts. */
  get classes() {
    return this.#classes
  }
  set classes(classes) {
    this.#classes = classes
    this.redraw()
  }

  connectedCallback() {
    // What a page has set before the element was defined hides the setter.
    for (const [name, value] of Object.entries(this)) {
      if (!(name in Object.getPrototypeOf(this))) continue
      delete this[name as keyof this]
      Object.assign(this, { [name]: value })
    }
    this.draw()
  }

  disconnectedCallback() {
    this.end()
  }

  attributeChangedCallback() {
    this.redraw()
  }

  /** Starts the flows of the element. */
  protected abstract begin(client: Client): void

  /** Draws the flows of the element. */
  protected abstract paint(): void

  /** Called when the element has left the page, or has another client. */
  protected onEnd(stop: () => void) {
    this.#stops.push(stop)
  }

  /** Returns a function that reads and then shows, unless it is called again or the element ends meanwhile. */
  protected reader<Data>(read: () => Promise<Data>, show: (data: Data) => void) {
    let calls = 0
    this.onEnd(() => {
      calls += 1
    })
    return async () => {
      const call = ++calls
      const data = await read()
      if (call === calls) show(data)
    }
  }

  private async draw() {
    this.end()
    const { client } = this
    if (!this.isConnected || !client) return
    let isEnded = false
    this.onEnd(() => {
      isEnded = true
    })
    // A session that is only stored, also by another tab, says who is logged in once it is refreshed.
    const refresh = () => client.state === 'unknown' && client.getToken()
    this.onEnd(client.subscribe(refresh))
    if (client.state === 'unknown') await refresh()
    if (isEnded) return
    const observer = new MutationObserver(() => this.#wanted() !== this.#language && this.redraw())
    observer.observe(document, { attributeFilter: ['lang'], subtree: true })
    this.onEnd(() => observer.disconnect())
    this.begin(client)
    this.paint()
  }

  private redraw() {
    if (this.isConnected && this.#stops.length > 0) this.paint()
  }

  private end() {
    for (const stop of [...this.#drawn.splice(0), ...this.#stops.splice(0)]) stop()
  }

  /** Returns the language of the place, which a page may change. */
  #wanted() {
    return this.closest('[lang]')?.getAttribute('lang') || navigator.language
  }

  /** Returns how to show texts: in the nearest language that there is. */
  protected look(): Look {
    const wanted = this.#wanted()
    this.#language = wanted
    const languages = shared.languages ?? {}
    const [primary = ''] = wanted.split('-')
    const language = [wanted, primary].find((tag) => tag in languages)
    const texts = { ...shared.english, ...(language && languages[language]), ...shared.texts, ...this.texts }
    return {
      language: language ?? (primary === 'en' ? wanted : 'en'),
      texts,
      classes: this.classes,
    }
  }

  /** Draws flows, each in a part of its own. */
  protected paintFlows(flows: readonly Flow[], heading: Options['heading'], left?: () => void) {
    const look = this.look()
    for (const stop of this.#drawn.splice(0)) stop()
    const roots = flows.map((flow) => {
      const root = create('div', {
        'data-part': 'root',
        lang: look.language,
        dir: directionOf(look.language),
      })
      this.#drawn.push(render(root, flow, { look, heading, ...(left && { left }) }))
      return root
    })
    const slotted = (name: string) => [...this.children].filter(({ slot }) => slot === name)
    this.replaceChildren(...slotted('logo'), ...roots, ...slotted('terms'))
  }

  /** Dispatches an event that bubbles. Returns whether nobody has prevented its default. */
  protected send(name: string, detail?: object) {
    return this.dispatchEvent(new CustomEvent(name, { bubbles: true, cancelable: true, detail }))
  }
}

/** Defines an element of the page, unless it is defined. */
export function define(name: string, element: CustomElementConstructor) {
  if (!customElements.get(name)) customElements.define(name, element)
}
