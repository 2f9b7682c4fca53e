package dev.holdfast.client;

import dev.holdfast.resource.Condition;
import dev.holdfast.share.ShareManager;

/** Why a share is not as it is wanted, in words. Stateless. */
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
}
