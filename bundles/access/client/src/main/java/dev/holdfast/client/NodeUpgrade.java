package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * An upgrade as a node tells it.
 *
 * @param node its name
 * @param operation what was asked for, its steps, and what came of each
 */
public record NodeUpgrade(String node, JsonNode operation) {
  private static final Set<String> GOOD = Set.of("DONE", "PLANNED");
  private static final Set<String> OPEN = Set.of("RUNNING", "RESTARTING", "VERIFYING", "REVERTING");

  /** Returns how far it is. */
  public String state() {
    return operation.path("state").asText();
  }

  /** Returns why it was refused or went back, empty when it did not. */
  public String reason() {
    return operation.path("reason").asText();
  }

  /** Returns whether nothing more happens. */
  public boolean hasEnded() {
    return !OPEN.contains(state());
  }

  /** Returns whether it ended as it was wanted. */
  public boolean isGood() {
    return GOOD.contains(state());
  }
}
