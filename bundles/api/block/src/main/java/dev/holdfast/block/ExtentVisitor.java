package dev.holdfast.block;

import org.osgi.annotation.versioning.ConsumerType;

/** Receives extents in ascending order. */
@ConsumerType
@FunctionalInterface
public interface ExtentVisitor {
  /**
   * Receives one extent.
   *
   * @param offset first byte
   * @param length in bytes, more than 0
   * @param kind allocation state, not null
   * @return false to stop the report
   */
  boolean extent(long offset, long length, ExtentKind kind);
}
