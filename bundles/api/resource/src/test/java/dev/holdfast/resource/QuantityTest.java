package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
  @Test
  void amountsThatAreNotBinaryAreShownShort() {
    assertThat(Quantity.parse("500M").shortest()).isEqualTo("500M");
    assertThat(Quantity.parse("1Gi").shortest()).isEqualTo("1Gi");
    assertThat(new Quantity(4097).shortest()).isEqualTo("4097");
    assertThat(Quantity.ZERO.shortest()).isEqualTo("0");
  }

  @Test
  void roundingUpGivesTheNextMultiple() {
    assertThat(Quantity.parse("500M").roundedUp(4096)).isEqualTo(Quantity.parse("488284Ki"));
    assertThat(Quantity.parse("4Ki").roundedUp(4096)).isEqualTo(Quantity.parse("4Ki"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Quantity(Long.MAX_VALUE).roundedUp(4096));
  }

  @Property
  void theTextIsReadBack(@ForAll @LongRange(min = 0) long bytes) {
    assertThat(Quantity.parse(new Quantity(bytes).toString())).isEqualTo(new Quantity(bytes));
  }

  @Property
  void multiplesOfBinaryUnitsAreWrittenShort(
      @ForAll @IntRange(min = 1, max = 1023) int count, @ForAll @IntRange(max = 5) int power) {
    long unit = 1L << (10 * power);
    String expected = power == 0 ? "" + count : count + "KMGTPE".substring(power - 1, power) + "i";

    assertThat(new Quantity(count * unit)).hasToString(expected);
    assertThat(Quantity.parse(expected).bytes()).isEqualTo(count * unit);
  }

  @Property
  void theOrderIsThatOfTheBytes(
      @ForAll @LongRange(min = 0) long a, @ForAll @LongRange(min = 0) long b) {
    assertThat(Integer.signum(new Quantity(a).compareTo(new Quantity(b))))
        .isEqualTo(Long.compare(a, b));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1k, 1000",
    "1Ki, 1024",
    "500M, 500000000",
    "1.5Gi, 1610612736",
    "0.1, 1",
    "1.0000000001Ki, 1025",
    "7Ei, 8070450532247928832",
    "9223372036854775807, 9223372036854775807",
  })
  void unitsAndFractionsAreUnderstood(String text, long bytes) {
    assertThat(Quantity.parse(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "-1", "+1", "1 Gi", "1gi", "1K", "1m", "Gi", "1.", ".5", "1e3", "1GiB"})
  void invalidQuantityIsRejected(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Quantity.parse(text))
        .withMessageContaining("is not a quantity");
  }

  @ParameterizedTest
  @ValueSource(strings = {"8Ei", "9223372036854775808", "10E", "99999999999999999999999Gi"})
  void tooMuchIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Quantity.parse(text))
        .withMessageContaining("more than 8Ei");
  }
}
