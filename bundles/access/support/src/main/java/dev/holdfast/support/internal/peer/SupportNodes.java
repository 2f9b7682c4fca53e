package dev.holdfast.support.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.support.internal.pack.ClusterFacts;
import dev.holdfast.support.internal.pack.NodePart;
import dev.holdfast.support.internal.pack.SupportArchive;
import dev.holdfast.support.internal.pack.SupportRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;

/** Collects files from all or some nodes of the cluster. Thread-safe. */
public final class SupportNodes {
  private final String self;
  private final ResourceStore store;
  private final NodePart part;
  private final ClusterFacts cluster;
  private final AuditFolder audit;
  private final NodeFilesClient peers;
  private final ExecutorService threads;

  /**
   * Creates a collector.
   *
   * @param self name of this node
   */
  public SupportNodes(
      String self,
      ResourceStore store,
      NodePart part,
      ClusterFacts cluster,
      AuditFolder audit,
      NodeFilesClient peers,
      ExecutorService threads) {
    this.self = self;
    this.store = store;
    this.part = part;
    this.cluster = cluster;
    this.audit = audit;
    this.peers = peers;
    this.threads = threads;
  }

  /**
   * Returns the nodes of a request, this one first.
   *
   * @throws StorageException NOT_FOUND for an unknown node
   */
  public List<String> nodes(List<String> wanted) throws StorageException {
    TreeSet<String> known = new TreeSet<>(List.of(self));
    if (wanted.isEmpty()) {
      try {
        store.list(Node.KIND, LabelSelector.ALL).items().forEach(node -> known.add(node.name()));
      } catch (StorageException e) {
        // Without the store only this node can be called; its part contains the reason.
        return List.of(self);
      }
      return List.copyOf(known);
    }
    for (String name : wanted) {
      if (!name.equals(self) && store.get(Node.KIND, name).isEmpty()) {
        throw new StorageException(
            ErrorCode.NOT_FOUND, "node " + name + " does not exist: see 'holdfast node list'");
      }
    }
    return wanted.stream().distinct().sorted().toList();
  }

  /** Writes the archive of a support bundle; {@code target} is closed at the end. */
  public void archive(SupportRequest request, List<String> nodes, OutputStream target)
      throws IOException {
    Map<String, SupportArchive.Part> parts = new LinkedHashMap<>();
    for (String node : nodes) {
      parts.put(
          node,
          node.equals(self)
              ? sink -> part.collect(request, sink, List.of(cluster))
              : sink -> peers.support(node, request.toBytes(), sink));
    }
    new SupportArchive(threads, InstantSource.system()).write(request, parts, target);
  }

  /** Returns the events of all nodes, merged by time. */
  JsonNode auditReport(AuditQuery query) throws StorageException, IOException {
    Map<String, AuditReport.Ask> asks = new LinkedHashMap<>();
    for (String node : nodes(List.of())) {
      asks.put(
          node,
          node.equals(self)
              ? sink -> query.collect(audit, sink)
              : sink -> peers.audit(node, query.toBytes(), sink));
    }
    return new AuditReport(threads).of(asks);
  }

  /** Returns the service that sends files of this node. */
  public NodeFilesService service() {
    return new NodeFilesService(
        (request, sink) -> part.collect(SupportRequest.of(request), sink, List.of()),
        (request, sink) -> AuditQuery.parse(request).collect(audit, sink),
        threads);
  }
}
