package dev.holdfast.engine.lvm.blobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The blobs of one thin pool, or one linear blob, and who uses them. Written before a command runs.
 *
 * @param id of the pool: the name of its first blob
 * @param node that has the group
 * @param options of its blobs
 * @param blobs in the order of their creation
 * @param attachments in the order of their creation
 */
record PoolRecord(
    String id,
    String node,
    BlobOptions options,
    List<RecordedBlob> blobs,
    List<Attachment> attachments) {
  PoolRecord {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(options, "options");
    blobs = List.copyOf(blobs);
    attachments = List.copyOf(attachments);
  }

  static PoolRecord empty(String id, String node, BlobOptions options) {
    return new PoolRecord(id, node, options, List.of(), List.of());
  }

  boolean isThin() {
    return options.mode() == BlobMode.THIN;
  }

  Optional<RecordedBlob> blob(String name) {
    return blobs.stream().filter(blob -> blob.name().equals(name)).findFirst();
  }

  List<Attachment> attachments(String blob) {
    return attachments.stream().filter(attachment -> attachment.blob().equals(blob)).toList();
  }

  /** Returns the record with a blob added or replaced. */
  PoolRecord with(RecordedBlob blob) {
    return new PoolRecord(
        id, node, options, replaced(blobs, b -> b.name().equals(blob.name()), blob), attachments);
  }

  /** Returns the record without a blob. */
  PoolRecord without(String blob) {
    return new PoolRecord(
        id,
        node,
        options,
        blobs.stream().filter(b -> !b.name().equals(blob)).toList(),
        attachments);
  }

  /** Returns the record with an attachment added or replaced. */
  PoolRecord with(Attachment attachment) {
    return new PoolRecord(
        id,
        node,
        options,
        blobs,
        replaced(attachments, a -> a.isOf(attachment.blob(), attachment.cookie()), attachment));
  }

  /** Returns the record without an attachment. */
  PoolRecord without(Attachment attachment) {
    return new PoolRecord(
        id,
        node,
        options,
        blobs,
        attachments.stream().filter(a -> !a.isOf(attachment.blob(), attachment.cookie())).toList());
  }

  private static <T> List<T> replaced(List<T> list, Predicate<T> same, T value) {
    List<T> next = new ArrayList<>(list);
    int at = 0;
    while (at < next.size() && !same.test(next.get(at))) {
      at++;
    }
    if (at < next.size()) {
      next.set(at, value);
    } else {
      next.add(value);
    }
    return next;
  }
}
