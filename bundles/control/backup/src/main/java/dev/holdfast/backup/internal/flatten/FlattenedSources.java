package dev.holdfast.backup.internal.flatten;

import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Sources of a volume that gets the content of its backup and of the image below it. Each source
 * opens the image separately for its thread.
 */
public final class FlattenedSources implements AutoCloseable {
  private final List<SourceDisk> images = new ArrayList<>();
  private final List<RegionCopy.CopySource> sources = new ArrayList<>();

  /** Opens the image for one thread. */
  public interface Opening {
    SourceDisk open() throws StorageException;
  }

  private FlattenedSources() {}

  /**
   * Opens the image separately for each source of the backup.
   *
   * @throws StorageException UNREACHABLE, BUSY, NOT_FOUND and IO when the image cannot be read
   */
  public static FlattenedSources open(List<RegionCopy.CopySource> backup, Opening image)
      throws StorageException {
    FlattenedSources flattened = new FlattenedSources();
    boolean done = false;
    try {
      BitSet data = new BitSet();
      for (RegionCopy.CopySource source : backup) {
        SourceDisk disk = image.open();
        flattened.images.add(disk);
        if (flattened.sources.isEmpty()) {
          data = disk.dataClusters(FlattenedSource.CLUSTER);
        }
        flattened.sources.add(new FlattenedSource(source, disk, data));
      }
      done = true;
      return flattened;
    } finally {
      if (!done) {
        flattened.close();
      }
    }
  }

  /** Returns the sources, one for each of the backup. */
  public List<RegionCopy.CopySource> all() {
    return List.copyOf(sources);
  }

  @Override
  public void close() {
    images.forEach(SourceDisk::close);
  }
}
