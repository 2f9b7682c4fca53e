package dev.holdfast.initiator;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Brings a bundle's initiators. Register an implementation as an OSGi service, and in {@code
 * META-INF/services} for programs without a container.
 */
@ConsumerType
public interface InitiatorProvider {

  /**
   * Returns the initiators.
   *
   * @param state where they keep what they know of their connections, shared by all initiators of
   *     this host, not null: an object with the fields {@code volume}, {@code initiator}, {@code
   *     endpoint}, {@code pid} (0 for none) and {@code device} (empty while it is being made)
   * @return never null
   */
  List<Initiator> initiators(HostState state);
}
