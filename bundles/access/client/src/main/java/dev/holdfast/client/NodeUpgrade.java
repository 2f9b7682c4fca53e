package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * An upgrade as a node reports it.
 *
 * @param node its name
 * @param operation the request, its steps, and the result of each step
 */
public record NodeUpgrade(String node, JsonNode operation) {
  private static final Set<String> GOOD = Set.of("DONE", "PLANNED");
  private static final Set<String> OPEN = Set.of("RUNNING", "RESTARTING", "VERIFYING", "REVERTING");

  /** Returns how far it is. */
  public String state() {
    return operation.path("state").asText();
  }

  /** Returns why it was refused or rolled back, empty otherwise. */
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
