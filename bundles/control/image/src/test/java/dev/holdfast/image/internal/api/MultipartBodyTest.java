package dev.holdfast.image.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MultipartBodyTest {
  private static final String FORM =
      """
      --xyz
      Content-Disposition: form-data; name="chunk"; filename="a"
      Content-Type: application/octet-stream

      0123456789
      --xyz--
      """
          .replace("\n", "\r\n");

  private static String content(String form, long size) throws IOException {
    try (MultipartBody body =
        MultipartBody.open(
            new ByteArrayInputStream(form.getBytes(StandardCharsets.ISO_8859_1)), "xyz", size)) {
      return new String(body.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void fileOfAFormIsRead() throws IOException {
    assertThat(content(FORM, 10)).isEqualTo("0123456789");
  }

  @Test
  void boundaryIsFound() {
    assertThat(MultipartBody.boundary("multipart/form-data; boundary=xyz")).contains("xyz");
    assertThat(MultipartBody.boundary("Multipart/Form-Data; boundary=\"xyz\"")).contains("xyz");
    assertThat(MultipartBody.boundary("application/octet-stream")).isEmpty();
  }

  @Test
  void largerFileIsRefused() {
    assertThatThrownBy(() -> content(FORM, 9)).hasMessageContaining("larger than its size");
  }

  @Test
  void otherFormIsRefused() {
    assertThatThrownBy(() -> content("--other\r\n\r\n", 1)).hasMessageContaining("boundary");
  }
}
