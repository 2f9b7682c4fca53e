package dev.holdfast.controller;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Moves the world one step closer to what a resource wants. Register an implementation as an OSGi
 * service; the runtime runs it for as long as it is registered.
 *
 * <p>Level-triggered and idempotent: called with a name whenever that resource, or one that {@link
 * #watches()} maps to it, may have changed, and again after every failure. Never two calls for one
 * name at a time; different names may run in parallel. Keeps no state that a restart would miss.
 *
 * <p>One that decides by services which come and go has them as static, greedy references: it is
 * then registered again whenever they change, and a reconciler that was just registered is called
 * with every name.
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

  /** Returns the other kinds whose changes wake this reconciler, never null. */
  default List<Watched<?>> watches() {
    return List.of();
  }

  /**
   * Returns the other kinds whose changes wake this reconciler, for one that must look a name up.
   * Implement either this method or {@link #watches()}, which this one calls by default.
   *
   * @param context whose cache the mappings may read: of this reconciler's kind and of the kinds
   *     that are returned; not null
   * @return the kinds, never null
   */
  default List<Watched<?>> watches(ReconcileContext context) {
    return watches();
  }

  /**
   * Makes one step.
   *
   * @param name of the resource, which may not exist any more
   * @param context to read the world and to write it
   * @return when to be called again without a change, never null
   * @throws StorageException when the step failed: it is tried again with growing delays; a
   *     CONFLICT soon and silently
   */
  Result reconcile(String name, ReconcileContext context) throws StorageException;
}
