package dev.holdfast.client;

import dev.holdfast.resource.Condition;
import dev.holdfast.share.ShareManager;
import java.util.List;
import java.util.Optional;

/** Describes why a share is not in its wanted state. Stateless. */
public final class ShareProblem {
  private ShareProblem() {}

  /** Returns for example {@code share is starting: the volume is attached to node n1}. */
  public static String of(ShareManager share) {
    String state = "share is " + share.status().state();
    return Condition.find(share.status().conditions(), Condition.READY)
        .filter(ready -> ready.status() != Condition.Status.TRUE)
        .map(ready -> ready.message().isEmpty() ? ready.reason() : ready.message())
        .filter(words -> !words.isEmpty())
        .map(words -> state + ": " + words)
        .orElse(state);
  }

  /** Returns why the filesystem is smaller than its volume, empty if it is not. */
  public static Optional<String> ofGrowth(ShareManager share) {
    return growth(share).map(Condition::message);
  }

  private static Optional<Condition> growth(ShareManager share) {
    return Condition.find(share.status().conditions(), ShareManager.GROWTH_CONDITION)
        .filter(grown -> grown.status() == Condition.Status.FALSE);
  }

  /** Returns the conditions of a share that a user of its volume must know. */
  static List<Condition> complaints(Optional<ShareManager> share) {
    return share.flatMap(ShareProblem::growth).stream().toList();
  }
}
