package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A node that serves a volume beside the node that has it open, in the status of the Engine.
 *
 * @param endpoint URI for initiators on that node while it can serve; otherwise empty
 * @param reason why it does not serve, for machines; empty while it serves
 * @param message why it does not serve; empty while it serves
 * @since 1.1
 */
@RecordBuilder
public record ServingNode(String endpoint, String reason, String message)
    implements ServingNodeBuilder.With {
  /** A node that is about to serve. */
  public static final ServingNode EMPTY = ServingNodeBuilder.builder().build();

  /** Replaces what is null by its default. */
  public ServingNode {
    endpoint = Defaults.text(endpoint);
    reason = Defaults.text(reason);
    message = Defaults.text(message);
  }
}
