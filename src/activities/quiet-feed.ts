import type { FeedPublisher } from '../core/ports/feed';
import type { ActivityDependencies } from './activity-dependencies';

/** The feed as activities use it: one that breaks its promise never to throw costs an event, and no attempt. */
export function quietFeed({ feed, logger }: Pick<ActivityDependencies, 'feed' | 'logger'>): FeedPublisher {
  return {
    publish: (event) => {
      try {
        feed.publish(event);
      } catch (error) {
        const { tenant, sessionId } = event;
        logger.warn('The feed did not take an event.', { tenant, sessionId, error });
      }
    },
  };
}
