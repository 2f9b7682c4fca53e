package dev.holdfast.controller;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Moves the system one step closer to the wanted state of a resource. Register an implementation as
 * an OSGi service; the runtime runs it while it is registered.
 *
 * <p>Level-triggered and idempotent: called with a name whenever that resource, or one that {@link
 * #watches()} maps to it, may have changed, and again after every failure. Calls for one name never
 * overlap; calls for different names may run in parallel. A reconciler must not need state that a
 * restart loses.
 *
 * <p>A reconciler that depends on dynamic services declares them as static, greedy references. It
 * is then registered again when they change, and a newly registered reconciler is called with every
 * name.
 *
 * @param <R> the kind that is reconciled
 */
@ConsumerType
public interface Reconciler<R extends Resource<R>> {

  /** Returns a name for logs, leases and metrics, unique in the platform, never null. */
  String name();

  /** Returns the kind that is reconciled, never null. */
  ResourceKind<R> kind();

  /** Returns where this reconciler runs, never null. */
  Scope scope();

  /** Returns the other kinds whose changes trigger this reconciler, never null. */
  default List<Watched<?>> watches() {
    return List.of();
  }

  /**
   * Returns the other kinds whose changes trigger this reconciler, for reconcilers that must look
   * up names. Implement either this method or {@link #watches()}, which this method calls by
   * default.
   *
   * @param context whose cache the mappings may read, limited to this reconciler's kind and the
   *     returned kinds; not null
   * @return the kinds, never null
   */
  default List<Watched<?>> watches(ReconcileContext context) {
    return watches();
  }

  /**
   * Makes one step.
   *
   * @param name of the resource, which may no longer exist
   * @param context to read and write resources
   * @return when to call again without a change, never null
   * @throws StorageException when the step failed: the runtime retries with increasing delays,
   *     after CONFLICT soon and without a log message
   */
  Result reconcile(String name, ReconcileContext context) throws StorageException;
}
