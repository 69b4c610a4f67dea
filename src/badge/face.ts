/** A font face at one size: how far each character moves the pen. */
export interface Face {
  /** Font size in pixels. */
  readonly em: number;
  /** Advance of an emoji in pixels. */
  readonly emoji: number;
  /** Factor by which letters of fallback fonts are wider in the weight of this face. */
  readonly boldness: number;
  /** Advance in pixels by code point; NaN if the tables have none. */
  readonly advances: Float64Array;
}

/** The size of a face, and its runs of advances: a first code point, then hundredths of a pixel. */
export interface FaceFigures {
  readonly em: number;
  readonly emoji: number;
  readonly bold?: true;
  readonly runs: readonly (readonly [first: number, figures: string])[];
}

/** Spreads the figures of a face out into a table by code point. */
export function makeFace({ em, emoji, bold, runs }: FaceFigures): Face {
  const advances = new Float64Array(TABLE_END).fill(NaN);
  for (const [first, figures] of runs) {
    advances.set(figures.split(/\s+/).map((figure) => Number(figure) / 100), first);
  }
  return { em, emoji, boldness: bold ? BOLDNESS : 1, advances };
}

/** Pixels that a grapheme cluster takes: a family of emoji is one emoji, a mark takes nothing. */
export function clusterWidth(face: Face, cluster: string): number {
  const known = face.advances[cluster.charCodeAt(0)] ?? NaN;
  if (cluster.length === 1 && !Number.isNaN(known)) return known;
  if (EMOJI.test(cluster)) return face.emoji;
  let width = 0;
  for (const character of cluster) width += characterWidth(face, character);
  return width;
}

function characterWidth(face: Face, character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const known = face.advances[code] ?? NaN;
  if (!Number.isNaN(known)) return known;
  if (NO_WIDTH.test(character)) return 0;
  for (const [last, ems] of BLOCKS) {
    if (code <= last) return ems * face.em * (code < CJK ? face.boldness : 1);
  }
  return face.em;
}

// Bold words in Arabic, Hebrew, Georgian and Lao are 8 to 21 % wider in DejaVu Sans. Ideographs are
// not.
const BOLDNESS = 1.15;
const CJK = 0x2e80;

// Past the last figure of any table (U+2212).
const TABLE_END = 0x2213;

const EMOJI = /\p{Emoji_Presentation}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

// The faces here have none of these scripts, so the reader sees a fallback font. The last code
// point of a stretch, and its advance in ems: averages of usual words in DejaVu Sans and Noto Sans.
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x02ff, 0.57], // Latin beyond the tables, phonetic letters
  [0x058f, 0.62], // Greek and Cyrillic beyond the tables, Armenian
  [0x05ff, 0.52], // Hebrew
  [0x065f, 0.5], // Arabic
  [0x0669, 0.55], // its digits
  [0x06ef, 0.5], // Arabic, Persian
  [0x06f9, 0.55], // Persian digits
  [0x08ff, 0.5], // Syriac, Thaana, N'Ko
  [0x097f, 0.6], // Devanagari
  [0x0b7f, 0.5], // Bengali, Gurmukhi, Gujarati, Oriya
  [0x0bff, 0.8], // Tamil
  [0x0cff, 0.51], // Telugu, Kannada
  [0x0dff, 0.8], // Malayalam, Sinhala
  [0x0e7f, 0.52], // Thai
  [0x0eff, 0.6], // Lao
  [0x0fff, 0.5], // Tibetan
  [0x109f, 0.67], // Myanmar
  [0x10ff, 0.56], // Georgian
  [0x115f, 0.973], // Hangul consonants that lead a syllable
  [0x177f, 0.65], // Ethiopic, Cherokee, Canadian syllabics
  [0x17ff, 0.48], // Khmer
  [0x1fff, 0.62], // Mongolian to Greek with accents
  [0x20ff, 0.45], // punctuation, superscripts, currency
  [0x2e7f, 0.8], // arrows, mathematics, boxes, dingbats
  [0x303f, 1], // radicals and punctuation of Chinese and Japanese
  [0x30ff, 0.973], // kana, as shields.io has them
  [0xabff, 1], // Chinese, Japanese, Yi
  [0xd7ff, 0.973], // Hangul
  [0xfaff, 1], // private use, compatibility ideographs
  [0xfb4f, 0.52], // Latin ligatures, Hebrew presentation forms
  [0xfeff, 0.5], // Arabic presentation forms
  [0xff60, 1], // full-width forms
  [0xffdc, 0.5], // half-width kana
  [0x1ffff, 0.8], // historic scripts, mathematical letters, symbols
];

/**
 * A monospace face at 12 px: 0.6 em a character, as in DejaVu Sans Mono, Liberation Mono, Menlo and
 * SF Mono to within 0.3 %. Other scripts come from fallback fonts; an emoji takes two cells.
 */
export const monospace12 = makeFace({
  em: 12,
  emoji: 14.4,
  runs: [
    [0x20, cells(0x7f - 0x20)],
    [0xa0, cells(0x180 - 0xa0)],
    [0x386, cells(0x460 - 0x386)],
    [0x2010, cells(0x203b - 0x2010)],
  ],
});

function cells(count: number): string {
  return Array<string>(count).fill("720").join(" ");
}

/** The families that shields.io's badges are set in. */
export const VERDANA = "Verdana,Geneva,DejaVu Sans,sans-serif";

/**
 * Verdana regular at 11 px. The widths of all three faces of Verdana are those that shields.io
 * publishes, measured in a browser that has the font. A character that its tables lack, such as
 * U+00FF, and an emoji have the width of "m".
 */
export const verdana11 = makeFace({
  em: 11,
  emoji: 10.7,
  runs: [
    [
      0x0020,
      `387 433 505 900 699 1184 799 295 500 500 699 900 400 500 400 500 699 699 699 699 699 699 699
      699 699 699 500 500 900 900 900 600 1100 752 754 768 848 696 632 853 827 463 500 762 612 927
      823 866 663 866 765 752 678 805 752 1088 754 677 754 500 500 500 900 699 699 661 685 573 685
      655 387 685 696 302 379 651 302 1070 696 668 685 685 469 573 433 696 651 900 651 651 578 698
      500 698 900`,
    ],
    [
      0x00a0,
      `387 433 699 699 699 699 500 699 699 1100 600 709 900 0 1100 699 596 900 596 596 699 706 699
      400 699 596 600 709 1100 1100 1100 600 752 752 752 752 752 752 1083 768 696 696 696 696 463
      463 463 463 853 823 866 866 866 866 866 900 866 805 805 805 805 677 666 682 661 661 661 661
      661 661 1051 573 655 655 655 655 302 302 302 302 673 696 668 668 668 668 668 900 668 696 696
      696 696 651 685 1070 752 661 752 661 752 661 768 573 768 573 768 573 768 573 848 712 853 685
      696 655 696 655 696 655 696 655 696 655 853 685 853 685 853 685 853 685 827 696 827 696 463
      302 463 302 463 302 463 302 463 302 958 675 500 379 762 651 651 612 302 612 302 612 325 612
      504 618 313 823 696 823 696 823 696 804 823 696 866 668 866 668 866 668 1177 1080 765 469
      765 469 765 469 752 573 752 573 752 573 752 573 678 433 678 433 678 433 805 696 805 696 805
      693 805 696 805 696 805 693 1088 900 677 651 677 754 578 754 578 754 578 1070`,
    ],
    [0x02bc, "1070"],
    [
      0x0386,
      `752 500 826 957 594 1100 969 1100 829 998 302 752 754 623 773 696 754 827 866 463 762 754
      927 823 714 866 827 663 1100 740 678 677 901 754 958 900 463 677 685 564 696 302 694 685 682
      651 669 564 503 696 686 302 651 651 704 651 553 668 701 688 559 693 546 694 869 649 904 895
      302 694 668 694 895`,
    ],
    [
      0x0401,
      `696 872 623 771 752 463 463 500 1230 1213 900 762 826 677 827 752 754 754 623 820 696 1070
      677 826 826 762 808 927 827 866 827 663 768 678 677 901 754 837 783 1133 1149 862 1012 749
      771 1138 777 661 676 654 518 684 655 878 577 704 704 651 683 766 701 668 701 685 588 546 651
      925 651 709 666 964 976 705 874 628 602 923 660 655 655 696 518 602 573 302 302 379 1005
      1005 696 651 704 651 701`,
    ],
    [0x0490, "623 518"],
    [
      0x1ea0,
      `752 661 752 661 752 661 752 661 752 661 752 661 752 661 752 661 752 661 752 661 752 661 752
      661 696 655 696 655 696 655 696 655 696 655 696 655 696 655 696 655 463 302 463 302 866 668
      866 668 866 668 866 668 866 668 866 668 866 668 887 668 887 668 887 668 887 668 887 668 805
      696 805 696 832 726 832 726 832 726 832 726 832 726 677 651 677 651 677 651 677 651`,
    ],
    [
      0x2010,
      `636 636 699 699 1100 1100 309 699 295 295 295 295 505 505 505 505 699 699 600 517 367 733
      900`,
    ],
    [0x2030, "1674 1491 397 613 613 358 596 835 388 500 500"],
    [0x20ab, "685 699"],
    [0x2116, "1289"],
    [0x2122, "1074"],
    [0x2212, "900"],
  ],
});

/** Verdana regular at 10 px. */
export const verdana10 = makeFace({
  em: 10,
  emoji: 9.73,
  runs: [
    [
      0x0020,
      `352 394 459 818 636 1076 727 269 454 454 636 818 364 454 364 454 636 636 636 636 636 636 636
      636 636 636 454 454 818 818 818 545 1000 684 686 698 771 632 575 775 751 421 455 693 557 843
      748 787 603 787 695 684 616 732 684 989 685 615 685 454 454 454 818 636 636 601 623 521 623
      596 352 623 633 274 344 592 274 973 633 607 623 623 427 521 394 633 592 818 592 592 525 635
      454 635 818`,
    ],
    [
      0x00a0,
      `352 394 636 636 636 636 454 636 636 1000 545 645 818 0 1000 636 542 818 542 542 636 642 636
      364 636 542 545 645 1000 1000 1000 545 684 684 684 684 684 684 984 698 632 632 632 632 421
      421 421 421 775 748 787 787 787 787 787 818 787 732 732 732 732 615 605 620 601 601 601 601
      601 601 955 521 596 596 596 596 274 274 274 274 612 633 607 607 607 607 607 818 607 633 633
      633 633 592 623 973 684 601 684 601 684 601 698 521 698 521 698 521 698 521 771 647 775 623
      632 596 632 596 632 596 632 596 632 596 775 623 775 623 775 623 775 623 751 633 751 633 421
      274 421 274 421 274 421 274 421 274 871 614 455 344 693 592 592 557 274 557 274 557 296 557
      458 562 284 748 633 748 633 748 633 730 748 633 787 607 787 607 787 607 1070 981 695 427 695
      427 695 427 684 521 684 521 684 521 684 521 616 394 616 394 616 394 732 633 732 633 732 630
      732 633 732 633 732 630 989 818 615 592 615 685 525 685 525 685 525 973`,
    ],
    [0x02bc, "973"],
    [
      0x0386,
      `684 454 751 870 540 1000 881 1000 753 908 274 684 686 566 703 632 685 751 787 421 693 686
      843 748 649 787 751 603 1000 672 616 615 819 685 871 818 421 615 623 513 633 274 631 623 620
      592 608 513 458 633 624 274 592 592 640 592 503 607 637 625 508 630 496 631 790 590 822 813
      274 631 607 631 813`,
    ],
    [
      0x0401,
      `632 792 566 701 684 421 421 455 1118 1103 818 693 750 615 751 684 686 686 566 746 632 973
      616 750 750 693 734 843 751 787 751 603 698 616 615 819 685 761 712 1030 1045 783 920 681
      701 1034 706 601 614 595 471 622 596 798 524 640 640 592 621 696 637 607 637 623 534 496 592
      841 592 645 605 876 888 641 794 571 547 839 600 596 596 633 471 547 521 274 274 344 914 914
      633 592 640 592 637`,
    ],
    [0x0490, "566 471"],
    [
      0x1ea0,
      `684 601 684 601 684 601 684 601 684 601 684 601 684 601 684 601 684 601 684 601 684 601 684
      601 632 596 632 596 632 596 632 596 632 596 632 596 632 596 632 596 421 274 421 274 787 607
      787 607 787 607 787 607 787 607 787 607 787 607 807 607 807 607 807 607 807 607 807 607 732
      633 732 633 756 660 756 660 756 660 756 660 756 660 615 592 615 592 615 592 615 592`,
    ],
    [
      0x2010,
      `579 579 636 636 1000 1000 281 636 269 269 269 269 459 459 459 459 636 636 545 470 333 667
      818`,
    ],
    [0x2030, "1521 1355 361 557 557 325 542 759 353 454 454"],
    [0x20ab, "623 636"],
    [0x2116, "1172"],
    [0x2122, "977"],
    [0x2212, "818"],
  ],
});

/** Verdana bold at 10 px. */
export const verdanaBold10 = makeFace({
  em: 10,
  emoji: 10.58,
  bold: true,
  runs: [
    [
      0x0020,
      `342 402 587 867 711 1272 862 332 543 543 711 867 361 480 361 689 711 711 711 711 711 711 711
      711 711 711 402 402 867 867 867 617 964 776 762 724 830 683 650 811 837 546 555 771 637 948
      847 850 733 850 782 710 682 812 764 1128 764 737 692 543 689 543 867 711 711 668 699 588 699
      664 422 699 712 342 403 671 342 1058 712 687 699 699 497 593 456 712 650 979 669 651 597 711
      543 711 867`,
    ],
    [
      0x00a0,
      `342 402 711 711 711 711 543 711 711 964 598 850 867 0 964 711 587 867 598 598 711 721 711
      361 711 598 598 850 1182 1182 1182 617 776 776 776 776 776 776 1094 724 683 683 683 683 546
      546 546 546 830 847 850 850 850 850 850 867 850 812 812 812 812 737 735 713 668 668 668 668
      668 668 1018 588 664 664 664 664 342 342 342 342 679 712 687 687 687 687 687 867 687 712 712
      712 712 651 699 1058 776 668 776 668 776 668 724 588 724 588 724 588 724 588 830 880 830 699
      683 664 683 664 683 664 683 664 683 664 811 699 811 699 811 699 811 699 837 712 837 712 546
      342 546 342 546 342 546 342 546 342 1007 728 555 403 771 671 671 637 342 637 342 637 522 637
      557 642 352 847 712 847 712 847 712 825 847 712 850 687 850 687 850 687 1135 1068 782 497
      782 497 782 497 710 593 710 593 710 593 710 593 682 456 682 465 682 456 812 712 812 712 812
      712 812 712 812 712 812 712 1128 979 737 651 737 692 597 692 597 692 597 1058`,
    ],
    [0x02bc, "1058"],
    [
      0x0386,
      `797 402 848 1001 705 1000 968 1000 939 970 342 776 762 637 806 683 692 837 850 546 771 776
      948 847 715 850 837 733 1000 684 682 737 952 764 976 844 546 737 699 585 712 342 706 699 716
      651 687 585 549 712 700 342 671 651 721 650 581 687 720 699 562 726 535 706 915 635 941 894
      342 706 687 706 894`,
    ],
    [
      0x0401,
      `683 911 637 742 710 546 546 555 1222 1214 936 771 846 737 837 776 758 762 637 841 683 1115
      707 846 846 771 845 948 837 850 837 733 724 682 737 952 764 850 787 1164 1177 907 1063 758
      742 1195 795 668 697 677 531 691 664 999 588 720 720 671 709 830 720 687 720 699 598 535 651
      966 669 729 684 1002 1013 743 937 649 606 994 682 664 664 712 531 605 593 342 342 403 1012
      1020 712 671 720 651 720`,
    ],
    [0x0490, "637 531"],
    [
      0x1ea0,
      `776 668 776 668 776 668 776 668 776 668 776 668 776 668 776 668 776 668 776 668 776 668 776
      668 683 664 683 664 683 664 683 664 683 664 683 664 683 664 683 664 546 342 546 342 850 687
      850 687 850 687 850 687 850 687 850 687 850 687 914 687 914 687 914 687 914 687 914 687 812
      712 812 712 846 742 846 742 846 742 846 742 846 742 737 651 737 651 737 651 737 651`,
    ],
    [
      0x2010,
      `639 639 711 711 1000 1000 324 711 332 332 332 332 587 587 587 587 711 711 711 530 333 667
      1049`,
    ],
    [0x2030, "1777 1542 353 616 616 350 566 783 353 543 543"],
    [0x20ab, "699 711"],
    [0x2116, "1294"],
    [0x2122, "964"],
    [0x2212, "867"],
  ],
});
