package dev.holdfast.upgrader.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.upgrade.BundleTrouble;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Reports bundles that hang or fail, and bundles that are refused because their plugin's name
 * belongs to another bundle. Reports by a condition of this node and of the affected volumes while
 * the fault lasts, and by an event when it begins.
 */
@Component(service = Reconciler.class)
public final class BundleTroubleReconciler implements Reconciler<Node> {
  static final String HEALTHY = Node.PLUGINS_HEALTHY_CONDITION;
  static final String UNIQUE = Node.PLUGIN_NAMES_UNIQUE_CONDITION;
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final int LONGEST = 2000;

  private final Supplier<List<BundleTrouble>> troubles;

  /** Reads the reports of all services in the container that report on bundles. */
  @Activate
  public BundleTroubleReconciler(BundleContext context) {
    this(new BundleTroubleIndex(context)::now);
  }

  BundleTroubleReconciler(Supplier<List<BundleTrouble>> troubles) {
    this.troubles = troubles;
  }

  @Override
  public String name() {
    return "plugin-troubles";
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
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(Volume.KIND, volume -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (!name.equals(context.nodeName()) || context.get(Node.KIND, name).isEmpty()) {
      return Result.DONE;
    }
    List<BundleTrouble> now = troubles.get();
    Node node = context.get(Node.KIND, name).orElseThrow();
    List<Condition> ofNode = node.status().conditions();
    for (String type : List.of(HEALTHY, UNIQUE)) {
      ofNode = said(type, node, ofNode, now, context);
    }
    if (!ofNode.equals(node.status().conditions())) {
      Node unused =
          context.store().updateStatus(node.withStatus(node.status().withConditions(ofNode)));
    }
    for (Volume volume : context.list(Volume.KIND, LabelSelector.ALL)) {
      tell(volume, now, context);
    }
    return Result.after(PERIOD);
  }

  private static void tell(Volume volume, List<BundleTrouble> now, ReconcileContext context)
      throws StorageException {
    List<BundleTrouble> its =
        now.stream().filter(trouble -> trouble.volume().equals(volume.name())).toList();
    List<Condition> before = volume.status().conditions();
    // Each node removes only its own report.
    boolean ours =
        Condition.find(before, HEALTHY)
            .filter(said -> said.message().startsWith(prefix(context)))
            .isPresent();
    if (its.isEmpty() && !ours) {
      return;
    }
    List<Condition> after = said(HEALTHY, volume, before, its, context);
    if (!after.equals(before)) {
      Volume unused =
          context.store().updateStatus(volume.withStatus(volume.status().withConditions(after)));
    }
  }

  private static String prefix(ReconcileContext context) {
    return "node " + context.nodeName() + ": ";
  }

  private static String conditionOf(BundleTrouble trouble) {
    return switch (trouble.kind()) {
      case HANGS, FAILS -> HEALTHY;
      case DUPLICATE_NAME -> UNIQUE;
    };
  }

  private static String reason(BundleTrouble trouble) {
    return switch (trouble.kind()) {
      case HANGS -> "BundleHangs";
      case FAILS -> "BundleFails";
      case DUPLICATE_NAME -> "DuplicateName";
    };
  }

  /** Returns the conditions with the faults of one type, or without that type if none exist. */
  private static List<Condition> said(
      String type,
      Resource<?> about,
      List<Condition> before,
      List<BundleTrouble> all,
      ReconcileContext context) {
    List<BundleTrouble> troubles =
        all.stream().filter(trouble -> conditionOf(trouble).equals(type)).toList();
    if (troubles.isEmpty()) {
      return before.stream().filter(condition -> !condition.type().equals(type)).toList();
    }
    String reason = reason(troubles.get(0));
    String text =
        troubles.stream()
            .map(trouble -> "bundle " + trouble.name() + ": " + trouble.message())
            .distinct()
            .collect(Collectors.joining("; "));
    String message = prefix(context) + text.substring(0, Math.min(LONGEST, text.length()));
    Instant now = context.clock().instant();
    if (Condition.find(before, type).filter(c -> c.reason().equals(reason)).isEmpty()) {
      context.events().warning(about, reason, message);
    }
    return Condition.with(before, type, Condition.Status.FALSE, reason, message, now);
  }
}
