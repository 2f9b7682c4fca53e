package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists the snapshots of a directory, parents before children. */
final class SnapshotList {
  private SnapshotList() {}

  /**
   * Lists the snapshots.
   *
   * @param resting removed layers that stay while another replica shares them
   */
  static List<SnapshotInfo> of(
      ReplicaDirectory directory, LayerTree tree, String head, Set<String> resting)
      throws IOException {
    List<SnapshotInfo> snapshots = new ArrayList<>();
    LayerChecksums checksums = new LayerChecksums(directory);
    for (String image : tree.parentsFirst()) {
      if (LonghornLayout.isSnapshot(image)) {
        boolean shared = tree.meta(image).removed() && resting.contains(image);
        String checksum = checksums.known(image).orElse("");
        snapshots.add(info(directory, tree, image, head, checksum, shared));
      }
    }
    return snapshots;
  }

  private static SnapshotInfo info(
      ReplicaDirectory directory,
      LayerTree tree,
      String image,
      String head,
      String checksum,
      boolean shared)
      throws IOException {
    LayerMeta meta = tree.meta(image);
    List<String> children =
        tree.children(image).stream()
            .map(child -> child.equals(head) ? SnapshotInfo.HEAD : LonghornLayout.snapshotOf(child))
            .toList();
    String parent = tree.parent(image);
    return new SnapshotInfo(
        LonghornLayout.snapshotOf(image),
        parent.isEmpty() ? "" : LonghornLayout.snapshotOf(parent),
        children,
        meta.removed(),
        meta.userCreated(),
        time(meta.created()),
        meta.labels() == null ? Map.of() : meta.labels(),
        used(directory, image),
        checksum,
        shared);
  }

  // Any program may have written the metadata; an unreadable time must not hide a snapshot.
  private static Instant time(String created) {
    try {
      return Instant.parse(created == null ? "" : created);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }

  private static long used(ReplicaDirectory directory, String image) throws IOException {
    long used = 0;
    try (ReplicaFile file = directory.open(image)) {
      long size = file.size();
      for (long data = LayerView.nextData(file, 0, size); data < size; ) {
        long hole = LayerView.nextHole(file, data, size);
        used += hole - data;
        data = LayerView.nextData(file, hole, size);
      }
    }
    return used;
  }
}
