package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A node that serves a volume in addition to the engine's node, in the status of the Engine.
 *
 * @param endpoint URI for initiators on that node while it can serve; otherwise empty
 * @param reason cause why the node does not serve, for programs; empty while it serves
 * @param message cause why the node does not serve, for users; empty while it serves
 * @since 1.1
 */
@RecordBuilder
public record ServingNode(String endpoint, String reason, String message)
    implements ServingNodeBuilder.With {
  /** A node that does not serve yet. */
  public static final ServingNode EMPTY = ServingNodeBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public ServingNode {
    endpoint = Defaults.text(endpoint);
    reason = Defaults.text(reason);
    message = Defaults.text(message);
  }
}
