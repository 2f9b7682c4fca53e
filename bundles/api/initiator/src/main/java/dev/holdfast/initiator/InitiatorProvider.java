package dev.holdfast.initiator;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Provides the initiators of a bundle. Register an implementation as an OSGi service, and in {@code
 * META-INF/services} for programs without a container.
 */
@ConsumerType
public interface InitiatorProvider {

  /**
   * Returns the initiators.
   *
   * @param state state of the connections, shared by all initiators of this host, not null: an
   *     object with the fields {@code volume}, {@code initiator}, {@code endpoint}, {@code pid} (0
   *     for none) and {@code device} (empty while the connection is being made)
   * @return never null
   */
  List<Initiator> initiators(HostState state);
}
