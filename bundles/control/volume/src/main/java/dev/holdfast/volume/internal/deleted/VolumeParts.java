package dev.holdfast.volume.internal.deleted;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The engines, replicas and snapshots of one volume in the store. The resources keep their names
 * and uids when their owner changes, because engines record the uids of snapshots.
 *
 * @param engines the engines
 * @param replicas the replicas
 * @param snapshots the snapshots
 */
public record VolumeParts(List<Engine> engines, List<Replica> replicas, List<Snapshot> snapshots) {
  private static final Set<String> OWNERS = Set.of(Volume.KIND.kind(), DeletedVolume.KIND.kind());

  /** Copies the lists. */
  public VolumeParts {
    engines = List.copyOf(engines);
    replicas = List.copyOf(replicas);
    snapshots = List.copyOf(snapshots);
  }

  /** Reads the parts of a volume, which may be deleted, from the store. */
  public static VolumeParts of(String volume, ReconcileContext context) throws StorageException {
    ResourceStore store = context.store();
    return new VolumeParts(
        store.list(Engine.KIND, LabelSelector.ALL).items().stream()
            .filter(engine -> engine.spec().volume().equals(volume))
            .toList(),
        store.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume)).items(),
        store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
            .filter(snapshot -> snapshot.spec().volume().equals(volume))
            .toList());
  }

  /** Returns the parts that belong to a resource. */
  public VolumeParts ownedBy(Resource<?> owner) {
    return new VolumeParts(
        engines.stream().filter(part -> isOwned(part, owner)).toList(),
        replicas.stream().filter(part -> isOwned(part, owner)).toList(),
        snapshots.stream().filter(part -> isOwned(part, owner)).toList());
  }

  private static boolean isOwned(Resource<?> part, Resource<?> owner) {
    return part.metadata().ownerReferences().stream()
        .anyMatch(reference -> reference.uid().equals(owner.metadata().uid()));
  }

  /** Returns whether the volume has no parts. */
  public boolean isEmpty() {
    return engines.isEmpty() && replicas.isEmpty() && snapshots.isEmpty();
  }

  /**
   * Transfers all parts to another owner.
   *
   * @return whether a part had another owner
   */
  public boolean give(Resource<?> owner, ReconcileContext context) throws StorageException {
    boolean ofEngines = give(engines, owner, context);
    boolean ofReplicas = give(replicas, owner, context);
    boolean ofSnapshots = give(snapshots, owner, context);
    return ofEngines || ofReplicas || ofSnapshots;
  }

  private static <R extends Resource<R>> boolean give(
      List<R> parts, Resource<?> owner, ReconcileContext context) throws StorageException {
    boolean given = false;
    for (R part : parts) {
      if (!isOwned(part, owner)) {
        List<OwnerReference> owners = new ArrayList<>(part.metadata().ownerReferences());
        owners.removeIf(reference -> OWNERS.contains(reference.kind()));
        owners.add(OwnerReference.controller(owner));
        context.store().update(part.withMetadata(part.metadata().withOwnerReferences(owners)));
        given = true;
      }
    }
    return given;
  }
}
