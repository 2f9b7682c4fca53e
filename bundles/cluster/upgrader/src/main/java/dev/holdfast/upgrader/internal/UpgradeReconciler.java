package dev.holdfast.upgrader.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the wanted upgrade of this node from an annotation of its resource, and reports the result
 * in another annotation.
 */
@Component(service = Reconciler.class)
public final class UpgradeReconciler implements Reconciler<Node> {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeReconciler.class);
  private static final int REPORTED = 5;
  private static final Duration WHILE_BUSY = Duration.ofMillis(200);
  private static final Duration ELSE = Duration.ofSeconds(5);

  private final UpgradeComponent upgrades;
  private final ObjectMapper json =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /** Passes requests to the upgrader. */
  @Activate
  public UpgradeReconciler(@Reference UpgradeComponent upgrades) {
    this.upgrades = upgrades;
  }

  @Override
  public String name() {
    return "upgrade";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Node> found = context.get(Node.KIND, name);
    if (!name.equals(context.nodeName()) || found.isEmpty()) {
      return Result.DONE;
    }
    Node node = found.get();
    Optional<UpgradeRequest> request = request(node);
    if (request.isPresent() && !isAnswered(node, request.get())) {
      upgrades.submit(request.get());
    }
    report(node, context);
    boolean busy = request.isPresent() && upgrades.isBusy(request.get().id());
    return Result.after(busy ? WHILE_BUSY : ELSE);
  }

  /**
   * Returns whether the request was answered, according to the node's resource, because the data
   * directory with its journal may be lost.
   */
  private static boolean isAnswered(Node node, UpgradeRequest request) {
    return node.metadata()
        .annotations()
        .getOrDefault(Node.UPGRADE_REPORT_ANNOTATION, "")
        .contains(request.id());
  }

  private Optional<UpgradeRequest> request(Node node) {
    String text = node.metadata().annotations().get(Node.UPGRADE_REQUEST_ANNOTATION);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(json.readValue(text, UpgradeRequest.class));
    } catch (JsonProcessingException e) {
      LOG.warn(
          "node {}: annotation {} cannot be read: {}",
          node.name(),
          Node.UPGRADE_REQUEST_ANNOTATION,
          e.getMessage());
      return Optional.empty();
    }
  }

  private void report(Node node, ReconcileContext context) throws StorageException {
    List<Operation> all = upgrades.operations();
    String text = text(all.subList(Math.max(0, all.size() - REPORTED), all.size()));
    ObjectMeta metadata = node.metadata();
    if (all.isEmpty() || text.equals(metadata.annotations().get(Node.UPGRADE_REPORT_ANNOTATION))) {
      return;
    }
    Map<String, String> annotations = new TreeMap<>(metadata.annotations());
    annotations.put(Node.UPGRADE_REPORT_ANNOTATION, text);
    context.store().update(node.withMetadata(metadata.withAnnotations(annotations)));
  }

  private String text(List<Operation> operations) {
    try {
      return json.writeValueAsString(operations);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("records can be written as JSON", e);
    }
  }
}
