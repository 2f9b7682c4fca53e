package dev.holdfast.csi.internal.snapshot;

import dev.holdfast.client.BackingImages;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.SnapshotClass;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Snapshots of the type {@code bi}: backing images of volumes. Their ids begin with {@code bi://}.
 * Thread-safe.
 */
public final class ImageSnapshots {
  private static final String PREFIX = "bi://";
  private static final String SOURCE = "export-from-volume";
  private static final String VOLUME = "volume-name";
  private static final String FORMAT = "export-type";

  private final ResourceStore store;
  private final BackingImages images;

  ImageSnapshots(ResourceStore store) {
    this.store = store;
    this.images = new BackingImages(store);
  }

  /** Returns the image in a snapshot id; empty for a snapshot of another type. */
  public static Optional<String> image(String id) {
    return id.startsWith(PREFIX) ? Optional.of(id.substring(PREFIX.length())) : Optional.empty();
  }

  /** Returns the id of an image as a snapshot. */
  public static String id(String image) {
    return PREFIX + image;
  }

  /** Creates an image of a volume, or finds the image of this name. */
  Csi.Snapshot create(Csi.CreateSnapshotRequest request, SnapshotClass said, Volume source)
      throws StorageException, StatusException {
    String name = CsiNames.resourceName(request.getName());
    Optional<BackingImage> present = store.get(BackingImage.KIND, name);
    if (present.isEmpty()) {
      Map<String, String> notes =
          new LinkedHashMap<>(ClassParameters.forWhom(request.getParametersMap()));
      notes.put(CsiVolumes.NAME, request.getName());
      BackingImage wanted = BackingImage.of(name, spec(said, source));
      try {
        store.create(wanted.withMetadata(wanted.metadata().withAnnotations(notes)));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.ALREADY_EXISTS) {
          throw CsiStatus.aborted("image " + name + " is just being made, try again");
        }
        throw e;
      }
    } else {
      requireSame(request, present.get());
    }
    return described(images.awaitReady(name, CallReplies.waiting()));
  }

  private static BackingImageSpec spec(SnapshotClass said, Volume source) {
    return BackingImageSpec.EMPTY
        .withSourceType(SOURCE)
        .withDataEngine(source.spec().dataEngine())
        .withSourceParameters(Map.of(VOLUME, source.name(), FORMAT, said.imageFormat()));
  }

  private static void requireSame(Csi.CreateSnapshotRequest request, BackingImage present)
      throws StatusException {
    if (present.isBeingDeleted()) {
      throw CsiStatus.aborted("image " + present.name() + " is being deleted, try again");
    }
    boolean same =
        request.getName().equals(present.metadata().annotations().get(CsiVolumes.NAME))
            && request.getSourceVolumeId().equals(volume(present));
    if (!same) {
      throw CsiStatus.alreadyExists(
          "image " + present.name() + " exists, and is not one of this name and volume");
    }
  }

  private static String volume(BackingImage image) {
    return image.spec().sourceParameters().getOrDefault(VOLUME, "");
  }

  /** Deletes the image of a snapshot; succeeds if it is absent. */
  void delete(String image) throws StorageException {
    try {
      images.delete(image, CallReplies.waiting());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Returns the images that were created from volumes, in the form of CSI. */
  List<Csi.Snapshot> all() throws StorageException {
    return store.list(BackingImage.KIND, LabelSelector.ALL).items().stream()
        .filter(image -> image.spec().sourceType().equals(SOURCE) && !image.isBeingDeleted())
        .map(ImageSnapshots::described)
        .toList();
  }

  /** Returns an image that was created as a snapshot, in the form of CSI. */
  Csi.Snapshot get(String field, String image) throws StorageException, StatusException {
    return described(require(field, image));
  }

  /**
   * Returns an image that volumes can use.
   *
   * @throws StatusException NOT_FOUND; UNAVAILABLE while it has no usable copy
   */
  public BackingImage requireReady(String image) throws StorageException, StatusException {
    BackingImage found = require("volume_content_source.snapshot.snapshot_id", image);
    if (!found.isReady()) {
      throw CsiStatus.unavailable("image " + image + " cannot be used now: look at its status");
    }
    return found;
  }

  private BackingImage require(String field, String image)
      throws StorageException, StatusException {
    return store
        .get(BackingImage.KIND, image)
        .filter(found -> !found.isBeingDeleted())
        .orElseThrow(
            () -> CsiStatus.notFound(field + ": snapshot \"" + id(image) + "\" does not exist"));
  }

  private static Csi.Snapshot described(BackingImage image) {
    Csi.Snapshot.Builder answer =
        Csi.Snapshot.newBuilder()
            .setSnapshotId(id(image.name()))
            .setSourceVolumeId(volume(image))
            .setSizeBytes(image.status().virtualSize().bytes())
            .setReadyToUse(image.isReady());
    image
        .metadata()
        .creationTimestamp()
        .map(CsiSnapshots::timestamp)
        .ifPresent(answer::setCreationTime);
    return answer.build();
  }
}
