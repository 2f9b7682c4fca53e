package dev.holdfast.engine.spdk.simulator.internal.bdev;

import java.util.Locale;

/** Kinds of I/O, in the order in which SPDK lists them. */
public enum IoType {
  READ,
  WRITE,
  UNMAP,
  FLUSH,
  RESET,
  NVME_ADMIN,
  NVME_IO,
  NVME_IO_MD,
  WRITE_ZEROES,
  ZCOPY,
  GET_ZONE_INFO,
  ZONE_MANAGEMENT,
  ZONE_APPEND,
  COMPARE,
  COMPARE_AND_WRITE,
  ABORT,
  SEEK_HOLE,
  SEEK_DATA,
  COPY,
  NVME_IOV_MD,
  NVME_NSSR,
  WRITE_UNCORRECTABLE;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
