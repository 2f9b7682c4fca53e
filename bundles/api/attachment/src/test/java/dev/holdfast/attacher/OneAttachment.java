package dev.holdfast.attacher;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** A store with one attachment and nothing else, as a reconciler sees it. */
final class OneAttachment implements ReconcileContext, EventRecorder {
  private final KindCatalogue kinds;
  private final Store store = new Store();
  private VolumeAttachment attachment;

  OneAttachment(VolumeAttachment attachment, KindCatalogue kinds) {
    this.attachment = attachment;
    this.kinds = kinds;
  }

  /** Supports the calls of attachers; others fail. */
  private final class Store extends ForwardingResourceStore {
    Store() {
      super(null);
    }

    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
      return kind.equals(VolumeAttachment.KIND) && name.equals(attachment.name())
          ? Optional.of(kind.type().cast(attachment))
          : Optional.empty();
    }

    @Override
    public <R extends Resource<R>> R update(R resource) {
      attachment = VolumeAttachment.KIND.type().cast(resource);
      return resource;
    }
  }

  VolumeAttachment attachment() {
    return attachment;
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    return store.get(kind, name);
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
    return get(kind, attachment.name()).stream().toList();
  }

  @Override
  public ResourceStore store() {
    return store;
  }

  @Override
  public KindCatalogue kinds() {
    return kinds;
  }

  @Override
  public Clock clock() {
    return Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  }

  @Override
  public String nodeName() {
    return "node-1";
  }

  @Override
  public EventRecorder events() {
    return this;
  }

  @Override
  public void normal(Resource<?> about, String reason, String message) {}

  @Override
  public void warning(Resource<?> about, String reason, String message) {}
}
