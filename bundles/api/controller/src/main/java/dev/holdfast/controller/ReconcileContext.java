package dev.holdfast.controller;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** The resources and services that a reconciler uses during one step. */
@ProviderType
public interface ReconcileContext {

  /**
   * Reads a resource from the cache. The cache may be outdated, but it never returns a version
   * older than this runtime's last write through {@link #store()}.
   */
  <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name);

  /** Reads all resources of a kind that a selector matches from the cache, by ascending name. */
  <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector);

  /** Returns the store, for writes and for reads that must not come from a cache, never null. */
  ResourceStore store();

  /**
   * Returns the kinds that are present, never null. The store may contain resources of kinds that
   * are absent.
   */
  KindCatalogue kinds();

  /** Returns the time, virtual in tests, never null. */
  Clock clock();

  /** Returns the name of the node on which this runs, never null. */
  String nodeName();

  /** Returns the recorder of events for users, never null. */
  EventRecorder events();
}
