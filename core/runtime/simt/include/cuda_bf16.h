#pragma once
typedef __bf16 nv_bfloat16;
#define __bfloat16_as_short(x) simt_bits<short, nv_bfloat16>(x)
#define __bfloat16_as_ushort(x) simt_bits<unsigned short, nv_bfloat16>(x)
#define __short_as_bfloat16(x) simt_bits<nv_bfloat16, short>(x)
#define __ushort_as_bfloat16(x) simt_bits<nv_bfloat16, unsigned short>(x)
