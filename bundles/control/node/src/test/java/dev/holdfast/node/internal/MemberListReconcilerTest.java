package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.MemberList;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Result;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberListReconcilerTest {
  private static final Instant NOW = Instant.parse("2026-11-23T08:00:00Z");

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Map<String, String> members = new TreeMap<>();
  private final MemberListReconciler reconciler =
      new MemberListReconciler(
          keys -> {
            members.clear();
            members.putAll(keys);
          });

  private void reconcile(String name) throws StorageException {
    assertThat(reconciler.reconcile(name, context())).isEqualTo(Result.DONE);
  }

  /** Returns a context that reads the store directly. */
  private ReconcileContext context() {
    return (ReconcileContext)
        Proxy.newProxyInstance(
            ReconcileContext.class.getClassLoader(),
            new Class<?>[] {ReconcileContext.class},
            (proxy, method, arguments) ->
                method.getName().equals("get")
                    ? store.get((ResourceKind<?>) arguments[0], (String) arguments[1])
                    : store
                        .list((ResourceKind<?>) arguments[0], (LabelSelector) arguments[1])
                        .items());
  }

  private NodeHeartbeat machine(Path data, Instant now, String key) throws Exception {
    NodeSettings settings =
        NodeSettings.from(
            Map.of("holdfast.data", data.toString(), "holdfast.node.name", "node-2")::get, "0.1.0");
    NodeHeartbeat heart =
        new NodeHeartbeat(settings, store, Clock.fixed(now, ZoneOffset.UTC), () -> {});
    heart.addTls(
        (NodeTls)
            Proxy.newProxyInstance(
                NodeTls.class.getClassLoader(),
                new Class<?>[] {NodeTls.class},
                (proxy, method, arguments) -> key));
    return heart;
  }

  @Test
  void memberHasTheKeyOfTheMachineThatHoldsItsLease(@TempDir Path first, @TempDir Path second)
      throws Exception {
    machine(first, NOW, "first").beat();
    reconcile("node-2");
    assertThat(members).containsExactly(Map.entry("node-2", "first"));

    machine(second, NOW.plus(Duration.ofMinutes(1)), "ignored").beat();
    reconcile("node-2");
    assertThat(members).containsEntry("node-2", "first");

    Node node = store.get(Node.KIND, "node-2").orElseThrow();
    store.delete(Node.KIND, "node-2", node.metadata().uid());
    Lease lease = store.get(Lease.KIND, "node-node-2").orElseThrow();
    store.delete(Lease.KIND, lease.name(), lease.metadata().uid());
    reconcile("node-2");
    assertThat(members).isEmpty();

    machine(second, NOW.plus(Duration.ofMinutes(2)), "second").beat();
    reconcile("node-2");
    assertThat(members).containsExactly(Map.entry("node-2", "second"));
  }

  @Test
  void nodeThatPublishesNoKeyIsAMemberByItsName() throws Exception {
    store.create(Node.of("node-3", NodeSpec.EMPTY));
    store.create(Lease.of("node-node-3", LeaseSpec.EMPTY));

    reconcile("node-3");

    assertThat(members).containsExactly(Map.entry("node-3", MemberList.ANY_KEY));
  }

  @Test
  void leaseOfANodeNamesIt() {
    assertThat(NodeHeartbeat.nodeOfLease(NodeHeartbeat.leaseName("node-2"))).contains("node-2");
    assertThat(NodeHeartbeat.nodeOfLease("controllers")).isEmpty();
  }
}
