package dev.holdfast.engine.export;

/**
 * Requirements for every connection to an export.
 *
 * @param tlsRequired whether connections without TLS are refused
 * @param authenticationRequired whether hosts must prove that they have their key
 * @since 1.0
 */
public record ExportSecurity(boolean tlsRequired, boolean authenticationRequired) {
  /** Without TLS and authentication. */
  public static final ExportSecurity NONE = new ExportSecurity(false, false);
}
