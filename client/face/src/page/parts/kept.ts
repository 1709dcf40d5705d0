/** Components that are drawn again only when they are given something else. */
import { Component, type ComponentType, createElement } from 'preact';

/** A vnode that is kept in place of this holds all that stood around it when it was drawn, and what is an element is drawn again all the same. */
export function kept<Props extends object>(drawn: ComponentType<Props>): ComponentType<Props> {
  return class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      for (const name in next) if (next[name] !== this.props[name]) return true;
      return false;
    }

    override render() {
      return createElement(drawn, this.props);
    }
  };
}
