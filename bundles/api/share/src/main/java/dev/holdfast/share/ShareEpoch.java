package dev.holdfast.share;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim to serve a share. A higher number supersedes all lower ones.
 *
 * @param number number of the claim; 0 before the first one
 * @param holder the node that may serve
 * @param since time of the claim
 * @param suspectedSince time since which the holder or its server does not answer; empty while both
 *     do
 */
@RecordBuilder
public record ShareEpoch(
    long number, String holder, Optional<Instant> since, Optional<Instant> suspectedSince)
    implements ShareEpochBuilder.With {
  /** The state before the first claim. */
  public static final ShareEpoch NONE = new ShareEpoch(0, "", Optional.empty(), Optional.empty());

  /** Replaces null components by their defaults. */
  public ShareEpoch {
    holder = Defaults.text(holder);
    since = Defaults.optional(since);
    suspectedSince = Defaults.optional(suspectedSince);
  }

  /** Returns the next claim, by the same or another node. */
  public ShareEpoch next(String node, Instant now) {
    return new ShareEpoch(number + 1, node, Optional.of(now), Optional.empty());
  }
}
