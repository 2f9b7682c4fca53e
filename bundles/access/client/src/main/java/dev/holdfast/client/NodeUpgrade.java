package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * A node's report of an upgrade.
 *
 * @param node name of the node
 * @param operation the request, its steps, and the result of each step
 */
public record NodeUpgrade(String node, JsonNode operation) {
  private static final Set<String> GOOD = Set.of("DONE", "PLANNED");
  private static final Set<String> OPEN = Set.of("RUNNING", "RESTARTING", "VERIFYING", "REVERTING");

  /** Returns the state of the upgrade. */
  public String state() {
    return operation.path("state").asText();
  }

  /** Returns the reason of a refusal or rollback, empty otherwise. */
  public String reason() {
    return operation.path("reason").asText();
  }

  /** Returns whether the upgrade has ended. */
  public boolean hasEnded() {
    return !OPEN.contains(state());
  }

  /** Returns whether the upgrade ended successfully. */
  public boolean isGood() {
    return GOOD.contains(state());
  }
}
