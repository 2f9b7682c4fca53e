package dev.holdfast.backup.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The images of the cluster, while the bundle that keeps them is installed. Thread-safe. */
@Component(service = ClusterImages.class)
public final class ClusterImages {
  private final List<ClusterDisks> disks = new CopyOnWriteArrayList<>();

  /** Creates an object without images. */
  @Activate
  public ClusterImages() {}

  /** Adds the images of the cluster. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addDisks(ClusterDisks added) {
    disks.add(added);
  }

  void removeDisks(ClusterDisks removed) {
    disks.remove(removed);
  }

  /**
   * Opens a verified copy of an image.
   *
   * @throws StorageException UNREACHABLE while the bundle is absent; the failure of the read of the
   *     image
   */
  SourceDisk open(String image) throws StorageException {
    Optional<ClusterDisks> known = disks.stream().findFirst();
    if (known.isPresent()) {
      return known.get().image(image);
    }
    throw new StorageException(
        ErrorCode.UNREACHABLE,
        "image " + image + ": the bundle that reads images is absent: install dev.holdfast.image");
  }
}
