package dev.holdfast.block;

import org.osgi.annotation.versioning.ConsumerType;

/** Receives extents in ascending order. */
@ConsumerType
@FunctionalInterface
public interface ExtentVisitor {
  /**
   * One extent.
   *
   * @param offset first byte
   * @param length in bytes, more than 0
   * @param kind how it is stored, not null
   * @return false to stop
   */
  boolean extent(long offset, long length, ExtentKind kind);
}
