package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.StorageException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Decides whether clients may be refused (13), from the events at the replicas and not from the
 * text of the refusal. Every replica that is current, or was current when the first one failed,
 * must have a separate reason since it became current.
 */
final class SimulatedExcuses {
  private final Map<String, SimulatedNode> byReplica;
  private final SimulatedNetwork network;
  private final SimulatedRegister register;

  SimulatedExcuses(
      Map<String, SimulatedNode> byReplica, SimulatedNetwork network, SimulatedRegister register) {
    this.byReplica = byReplica;
    this.network = network;
    this.register = register;
  }

  /** Returns whether an engine may report a failure to a client. */
  boolean excused(SimulatedClients.Served one, StorageException failure) {
    if (one.closed() || register.record().generation() > one.order()) {
      return true;
    }
    List<String> current =
        one.volume().replicas().entrySet().stream()
            .filter(replica -> replica.getValue() == MemberMode.RW)
            .map(Map.Entry::getKey)
            .filter(replica -> !byReplica.get(replica).location().witness())
            .toList();
    Predicate<String> full = replica -> byReplica.get(replica).fullSince(one.since(replica));
    Predicate<String> failed = replica -> failed(one, replica);
    return switch (failure.code()) {
      case NO_SPACE ->
          current.stream().anyMatch(full) && current.stream().allMatch(full.or(failed));
      // A full replica that is being dropped does not return when the other one fails. An Error in
      // a request is reported as INTERNAL.
      case IO, INTERNAL ->
          current.stream().anyMatch(failed) && current.stream().allMatch(full.or(failed));
      default -> false;
    };
  }

  /** Returns whether the register names a replica as a member. */
  boolean recorded(SimulatedNode node) {
    return named(register.record().members(), node);
  }

  /** Returns whether the named members include a node's replica. */
  static boolean named(Collection<String> members, SimulatedNode node) {
    String id = (node.location().witness() ? "witness-" : "id-") + node.name();
    return members.stream().anyMatch(member -> member.equals(id) || member.startsWith(id + "-"));
  }

  private boolean failed(SimulatedClients.Served one, String replica) {
    SimulatedNode node = byReplica.get(replica);
    long since = one.since(replica);
    boolean far = node != one.node();
    return node.troubledSince(since)
        || (far
            && (network.partedSince(node.name(), one.node().name(), since)
                || one.node().troubledSince(since)));
  }
}
