/** Following a room's log, and watching the rows of a query, for who needs that: beside what a page needs of a room. */
export {
  type EventsPage,
  type EventsPosition,
  type FollowOptions,
  type Following,
  type WatchedRow,
  followEvents,
  watchProjection,
} from './client/following.js';
